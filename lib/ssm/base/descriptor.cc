#include "ssm/base/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr mode_t kFileMode = 0666;             // the umask takes its share
constexpr size_t kOneWrite = size_t{1} << 30;  // Linux writes less than 2 GiB at once

}  // namespace

void FailSystem(ExitCode code, const char* what, const std::string& path) {
  const int error = errno;
  const bool full = error == ENOSPC || error == EDQUOT;
  throw Error(code, fmt::format("Cannot {} {}: {}.{}", what, QuotePath(path),
                                std::generic_category().message(error),
                                full ? " Make room on that disk." : ""));
}

void FailOpen(const char* what, const std::string& path) {
  const bool missing = errno == ENOENT || errno == ENOTDIR;
  FailSystem(missing ? ExitCode::kMissingInput : ExitCode::kIoError, what, path);
}

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (value_ >= 0) ::close(value_);
  value_ = other.Release();
  return *this;
}

int OpenDescriptor(const std::string& path, int flags) {
  return Uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, kFileMode); });
}

void WriteAll(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = Uninterrupted(
        [&] { return ::write(descriptor, bytes.data(), std::min(bytes.size(), kOneWrite)); });
    if (written < 0) FailSystem(ExitCode::kIoError, "write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void WriteAllAt(int descriptor, std::string_view bytes, int64_t offset, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = Uninterrupted([&] {
      return ::pwrite(descriptor, bytes.data(), std::min(bytes.size(), kOneWrite), offset);
    });
    if (written < 0) FailSystem(ExitCode::kIoError, "write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += written;
  }
}

void SyncDescriptor(int descriptor, const std::string& path) {
  if (Uninterrupted([&] { return ::fsync(descriptor); }) != 0) {
    FailSystem(ExitCode::kIoError, "sync", path);
  }
}

void CloseChecked(int descriptor, const std::string& path) {
  // On Linux the descriptor is gone after EINTR too, and nothing was lost.
  if (::close(descriptor) != 0 && errno != EINTR) FailSystem(ExitCode::kIoError, "close", path);
}

}  // namespace ssm
