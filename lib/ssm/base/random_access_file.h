// A file that is read in pieces, at any place.
#pragma once

#include <cstdint>
#include <string>

#include "ssm/base/descriptor.h"

namespace ssm {

/// A regular file, open for reading. Reading changes nothing in it: threads may share one.
class RandomAccessFile {
 public:
  /// @throws Error(kMissingInput) when there is none, Error(kIoError), Error(kBadData) for what has
  /// no places: folders, pipes, devices.
  explicit RandomAccessFile(const std::string& path);

  /// Exactly `size` bytes from `offset`. @throws Error(kIoError), Error(kBadData) when the file
  /// ends before.
  void ReadAt(int64_t offset, int64_t size, char* to) const;
  /// When it was opened.
  int64_t size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Descriptor file_;
  int64_t size_ = 0;
};

}  // namespace ssm
