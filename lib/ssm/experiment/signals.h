// Signals a training run answers.
#pragma once

namespace ssm {

enum class StopRequest { kNone, kSave /*SIGTERM, SIGUSR1*/, kInterrupt /*SIGINT*/ };

/// While it lives: SIGTERM, SIGUSR1 and the first SIGINT only set a flag; a second SIGINT ends the
/// process at once; SIGXFSZ and SIGPIPE are ignored, so that writes fail and say so. One at a time.
class SignalGuard {
 public:
  SignalGuard();
  /// Restores what was there before.
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  StopRequest requested() const;
};

/// Ends the process by SIGINT itself, under its default handler: a shell sees it and stops its
/// loop, which an exit code does not do.
[[noreturn]] void DieOfInterrupt();

}  // namespace ssm
