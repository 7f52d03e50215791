// File descriptors and the words of the system calls on them, for the files of this layer.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "ssm/base/errors.h"

namespace ssm {

/// Throws Error(code) that says what failed, on what and why, from errno.
[[noreturn]] void FailSystem(ExitCode code, const char* what, const std::string& path);
/// From errno after a failed open: kMissingInput where there is none, kIoError where it is out of
/// reach.
[[noreturn]] void FailOpen(const char* what, const std::string& path);

/// Repeats a system call that a signal interrupted.
template <class Call>
auto Uninterrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

/// An open descriptor that is closed on every way out.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : value_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return value_; }
  int Release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

/// open(2); -1 on failure.
int OpenDescriptor(const std::string& path, int flags);
/// Every byte, at the descriptor's place. Throws Error(kIoError).
void WriteAll(int descriptor, std::string_view bytes, const std::string& path);
/// The same at `offset`.
void WriteAllAt(int descriptor, std::string_view bytes, int64_t offset, const std::string& path);
/// Throws Error(kIoError).
void SyncDescriptor(int descriptor, const std::string& path);
/// Throws Error(kIoError).
void CloseChecked(int descriptor, const std::string& path);

}  // namespace ssm
