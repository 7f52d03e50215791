// Places at which a test can kill the process, to show that nothing is lost.
#pragma once

#include <string_view>

namespace ssm {

/// Compiled in always, one predictable branch when unused. SSM_TEST_CRASH="NAME:N" sends SIGKILL
/// to the process at the N-th passage of the point NAME (the first is 1). SSM_TEST_PHASE=FILE keeps
/// the name of the point passed last in the first 32 bytes of FILE, so that a test which kills at
/// a random moment learns where it struck. Thread safe.
namespace internal {
extern const bool crash_points_watched;
void PassCrashPoint(std::string_view name);
}  // namespace internal

inline void CrashPoint(std::string_view name) {
  if (internal::crash_points_watched) [[unlikely]]
    internal::PassCrashPoint(name);
}

}  // namespace ssm
