// Places at which a test can kill the process, to show that nothing is lost.
#pragma once

#include <string_view>

namespace ssm {

/// In the order a training run passes them.
enum class CrashPoint {
  kStart,              // the run directory exists, nothing is trained yet
  kDraw,               // a batch is drawn
  kForward,            // of one shard
  kBackward,           // of one shard
  kUpdate,             // gradients are summed, values updated
  kValidate,           // before an evaluation
  kMetricsAppend,      // half a line is in metrics.jsonl
  kCheckpointOpen,     // the temporary folder exists, empty
  kCheckpointWrite,    // half of a file's bytes are written
  kCheckpointFsync,    // all bytes of a file are written, none is synced
  kCheckpointRename,   // every file is synced, the folder still has its temporary name
  kCheckpointPointer,  // committed; LATEST and BEST still name older ones
  kCheckpointRemove,   // before an old checkpoint goes, and half-way through
  kCount,
};

/// "checkpoint_rename".
std::string_view CrashPointName(CrashPoint point);

namespace internal {
extern const bool crash_points_watched;
void PassCrashPoint(CrashPoint point);
}  // namespace internal

/// Compiled in always, one predictable branch when unused. SSM_TEST_CRASH="NAME:N" ends the process
/// by SIGKILL at the N-th passage of the point NAME (the first is 1). SSM_TEST_PHASE=FILE keeps
/// the point passed last as a letter ('a' the first) in the first byte of FILE, so that a test
/// which kills at a random moment learns where it struck; the names follow, one a line. Thread
/// safe.
inline void Pass(CrashPoint point) {
  if (internal::crash_points_watched) [[unlikely]]
    internal::PassCrashPoint(point);
}
/// Whether either variable is set.
inline bool CrashPointsWatched() { return internal::crash_points_watched; }

}  // namespace ssm
