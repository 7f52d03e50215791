// The one exception type, and the exit codes it carries.
#pragma once

#include <stdexcept>
#include <string>

namespace ssm {

/// What the process ends with. The numbers follow sysexits.h where it has one.
enum class ExitCode : int {
  kDone = 0,
  kCheckFailed = 1,    // ran, but a law, gate or cell failed
  kDiverged = 10,      // training met NaN or Inf; the last good checkpoint is kept
  kUsage = 64,         // flags, subcommands
  kBadData = 65,       // a file that exists and is wrong
  kMissingInput = 66,  // a file that does not exist
  kUnavailable = 69,   // something the machine lacks
  kInternal = 70,      // a bug in this program
  kRefused = 71,       // refused before the start: memory, disk
  kCannotCreate = 73,  // an output that cannot be made
  kIoError = 74,       // ENOSPC, EIO and their like
  kStopped = 75,       // stopped after saving: run again to continue
  kBadConfig = 78,
};

/// An error a person reads: one clear sentence saying where, what was found, what is allowed
/// and what to do. `code` is what the process ends with.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Throws Error(code, message).
[[noreturn]] void Fail(ExitCode code, const std::string& message);

namespace internal {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line,
                              const std::string& message);
}  // namespace internal

}  // namespace ssm

/// An invariant of this program, always checked; breaking it is a bug (exit 70). `message` is only
/// evaluated on failure.
#define SSM_CHECK(condition, message)                                                     \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      ::ssm::internal::CheckFailed(#condition, __FILE__, __LINE__, std::string(message)); \
    }                                                                                     \
  } while (false)
