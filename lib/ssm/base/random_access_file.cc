#include "ssm/base/random_access_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "ssm/base/text.h"

namespace ssm {

RandomAccessFile::RandomAccessFile(const std::string& path)
    : path_(path), file_(OpenDescriptor(path, O_RDONLY)) {
  if (file_.get() < 0) FailOpen("open", path);
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) FailSystem(ExitCode::kIoError, "inspect", path);
  if (!S_ISREG(status.st_mode)) {
    Fail(ExitCode::kBadData,
         fmt::format("Cannot read {} in pieces: it is no regular file.", QuotePath(path)));
  }
  size_ = status.st_size;
}

void RandomAccessFile::ReadAt(int64_t offset, int64_t size, char* to) const {
  constexpr int64_t kOneRead = int64_t{1} << 30;  // Linux reads less than 2 GiB at once
  while (size > 0) {
    const ssize_t got = Uninterrupted([&] {
      return ::pread(file_.get(), to, static_cast<size_t>(std::min(size, kOneRead)), offset);
    });
    if (got < 0) FailSystem(ExitCode::kIoError, "read", path_);
    if (got == 0) {
      Fail(ExitCode::kBadData,
           fmt::format("{} became shorter while it was read.", QuotePath(path_)));
    }
    offset += got;
    size -= got;
    to += got;
  }
}

}  // namespace ssm
