// A file that is written in pieces and appears whole or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ssm/base/descriptor.h"
#include "ssm/base/live_temporaries.h"

namespace ssm {

/// Pieces go to a temporary sibling, which Commit syncs and renames over `path`; without Commit it
/// is removed, under a TemporariesGuard by signals too. A pipe or a device cannot be renamed over:
/// there the pieces are held in memory and written by Commit. Several files that belong together
/// are all staged before one is committed.
class AtomicFile {
 public:
  /// @throws Error(kCannotCreate) when the sibling cannot be made. All errors name `path`.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Bytes between pieces that were never written are 0. Throws Error(kIoError).
  void WriteAt(int64_t offset, std::string_view bytes);
  /// Everything reaches the disk: all that is likely to fail. Throws Error(kIoError).
  void Stage();
  /// Stages what is not yet, then replaces `path`, also across a power cut. Throws Error(kIoError).
  void Commit();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string sibling_;  // empty for pipes and devices
  std::string held_;     // their bytes
  LiveTemporary live_;
  Descriptor file_;
  bool staged_ = false, committed_ = false;
};

}  // namespace ssm
