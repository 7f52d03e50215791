// Checkpoints: folders that appear whole or not at all, and a reader that trusts none of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ssm/training/early_stop.h"
#include "ssm/training/trainer.h"

namespace ssm {

/// What state.json holds: everything of a run at a step that is neither value nor moment. Nothing
/// in it depends on the clock, the host, the threads or how often the run was resumed.
struct CheckpointState final : Configurable {
  static constexpr int64_t kFormat = 1;
  int64_t format = kFormat;
  int64_t step = 0;
  int64_t examples = 0;     // training sequences consumed
  std::string dtype;        // "float32", "float64"
  std::string config_hash;  // 16 hex digits
  int64_t seed_init = 0, seed_data = 0, seed_eval = 0;
  int64_t metrics_bytes = 0;  // length of metrics.jsonl when this was written
  int64_t extended_from = 0;  // train.steps before it was raised by a resume; 0: never was
  EarlyStopState early_stop;  // best validation value so far, and since when
  void VisitFields(FieldVisitor& visitor) override;
};

/// A checkpoint the reader refused, and why.
struct RefusedCheckpoint {
  std::string path;
  std::string reason;
};

/// RUN/checkpoints: step-00000200/{model.safetensors, optimizer.safetensors, state.json,
/// SHA256SUMS}, and the text pointers LATEST and BEST, each a folder's name and a newline.
class CheckpointStore {
 public:
  /// Makes the folder if it is not there. Throws Error(kCannotCreate).
  explicit CheckpointStore(std::string folder);

  /// Commits step-N: a temporary sibling is filled, every file and then the folder synced, renamed,
  /// and the parent synced; then LATEST and BEST (the best step's, where it has a folder) are
  /// replaced; only then goes what neither `keep` nor BEST holds. A checkpoint of the same step is
  /// left as it is.
  /// @throws Error(kCannotCreate), Error(kIoError).
  template <Scalar T>
  void Save(const CheckpointState& state, const TrainingState<T>& from, int64_t keep);

  /// The newest checkpoint that passes every check, put into `into`; those newer that do not are
  /// added to `refused` and renamed to step-N.refused. Nothing when there is none. What a
  /// killed Save left undone (temporary folders, pointers, removals under `keep`) is done, so call
  /// it only under the run's lease.
  template <Scalar T>
  std::optional<CheckpointState> LoadNewest(const TrainingState<T>& into, int64_t keep,
                                            std::vector<RefusedCheckpoint>& refused);

  /// Steps that have a folder, ascending; not checked.
  std::vector<int64_t> Steps() const;
  std::string PathOf(int64_t step) const;
  const std::string& folder() const { return folder_; }

 private:
  void Point(const CheckpointState& state) const;
  void RemoveOld(const CheckpointState& state, int64_t keep) const;
  void RemoveLeftovers() const;

  std::string folder_;
};

/// state.json of one checkpoint, checked, without the tensors. Throws Error(kBadData),
/// Error(kMissingInput).
CheckpointState ReadCheckpointState(const std::string& checkpoint);

/// Reads one checkpoint folder: checksums over every byte first, then format, names, shapes,
/// dtypes, bounds and finiteness. Moments may be unwanted (optimiser null): then their file may be
/// missing or damaged.
/// @throws Error(kBadData) naming file and place, Error(kMissingInput).
template <Scalar T>
CheckpointState ReadCheckpoint(const std::string& checkpoint, const TrainingState<T>& into);

/// Which checkpoint is meant: `path` is a checkpoint itself, or a run, of which the one named by
/// `pointer` ("BEST", "LATEST") is taken. Without that pointer it is the newest folder; for BEST
/// only if the run was never validated, which is logged. @throws Error(kMissingInput) when there is
/// none, Error(kBadData) when the pointer names none.
std::string FindCheckpoint(const std::string& path, const std::string& pointer);

}  // namespace ssm
