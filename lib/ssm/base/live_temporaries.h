// Temporary files that a signal must not leave behind.
#pragma once

#include <string>

namespace ssm {

/// A file that is removed should a signal end the process while this lives. The list has room for
/// 16; those beyond are not on it.
class LiveTemporary {
 public:
  LiveTemporary() = default;
  explicit LiveTemporary(const std::string& path);
  ~LiveTemporary();
  LiveTemporary(LiveTemporary&& other) noexcept;
  LiveTemporary& operator=(LiveTemporary&& other) noexcept;

 private:
  int place_ = -1;
};

/// Unlinks all of them. Safe in a signal handler.
void RemoveLiveTemporaries();

/// While it lives, SIGTERM, SIGINT and SIGHUP remove all live temporaries and then end the process
/// as ever. A signal that is ignored, or has a handler already, keeps what it has. One at a time.
class TemporariesGuard {
 public:
  TemporariesGuard();
  /// Restores what was there before.
  ~TemporariesGuard();
  TemporariesGuard(const TemporariesGuard&) = delete;
  TemporariesGuard& operator=(const TemporariesGuard&) = delete;
};

}  // namespace ssm
