#include "ssm/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "ssm/base/files.h"

namespace ssm {
namespace {

std::string TemporarySibling(const std::string& path) {
  static std::atomic<int64_t> serial{0};
  return fmt::format("{}.{}-{}{}", path, ::getpid(), serial.fetch_add(1), kTemporarySuffix);
}

bool CanBeReplaced(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  if (!CanBeReplaced(path)) {
    file_ = Descriptor(OpenDescriptor(path, O_WRONLY));
    if (file_.get() < 0) FailSystem(ExitCode::kCannotCreate, "open", path);
    return;
  }
  // A killed process of the same number may have left a sibling of the same name.
  do {
    sibling_ = TemporarySibling(path);
    live_ = LiveTemporary(sibling_);
    file_ = Descriptor(OpenDescriptor(sibling_, O_WRONLY | O_CREAT | O_EXCL));
  } while (file_.get() < 0 && errno == EEXIST);
  if (file_.get() < 0) FailSystem(ExitCode::kCannotCreate, "create", path_);
}

AtomicFile::~AtomicFile() {
  if (!committed_ && !sibling_.empty()) ::unlink(sibling_.c_str());
}

void AtomicFile::WriteAt(int64_t offset, std::string_view bytes) {
  SSM_CHECK(!staged_, "a piece for a file that was staged");
  if (!sibling_.empty()) {
    WriteAllAt(file_.get(), bytes, offset, path_);
    return;
  }
  const size_t end = static_cast<size_t>(offset) + bytes.size();
  if (held_.size() < end) held_.resize(end, '\0');
  held_.replace(static_cast<size_t>(offset), bytes.size(), bytes);
}

void AtomicFile::Stage() {
  if (staged_) return;
  staged_ = true;
  if (sibling_.empty()) return;
  SyncDescriptor(file_.get(), path_);
  CloseChecked(file_.Release(), path_);
}

void AtomicFile::Commit() {
  Stage();
  if (sibling_.empty()) {
    WriteAll(file_.get(), held_, path_);
    CloseChecked(file_.Release(), path_);
    return;
  }
  if (::rename(sibling_.c_str(), path_.c_str()) != 0) {
    FailSystem(ExitCode::kIoError, "replace", path_);
  }
  committed_ = true;
  FsyncDirectory(ParentPath(path_));
}

}  // namespace ssm
