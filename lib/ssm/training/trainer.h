// Optimiser steps over a task's training split.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "ssm/base/workers.h"
#include "ssm/models/sequence_model.h"
#include "ssm/tasks/task.h"
#include "ssm/training/adamw.h"
#include "ssm/training/train_batch.h"
#include "ssm/training/train_options.h"

namespace ssm {

struct StepReport {
  int64_t step = 0;                   // the first is 1
  double loss = 0;                    // mean over the step's scored outputs, before the update
  double grad_norm = 0;               // global, before clipping
  double lr = 0;                      // of train.lr, after the schedule
  int64_t tokens = 0;                 // read by the step, padding excluded
  std::span<const LayerNorms> norms;  // one per layer when asked for; valid until the next step
  std::span<const PassCount> counts;  // what its passes counted, by name; valid as long
};

/// What of a trainer a checkpoint holds, borrowed: together with the step it is everything.
template <Scalar T>
struct TrainingState {
  Parameters<T>* parameters = nullptr;
  AdamW<T>* optimiser = nullptr;
};

/// One optimiser step = `accumulate` micro-batches, each cut into fixed shards with a tape and a
/// gradient buffer of its own; gradients are summed in shard order, divided once by the step's
/// total weight, clipped, and applied. Example j of step k is a pure function of (seed, k, j).
///
/// The same seed gives the same bits for any number of threads. From the second step on forward,
/// backward and update allocate nothing (drawing does: streams are objects).
template <Scalar T>
class Trainer {
 public:
  /// Borrows model, task and workers. `data_seed`: seed.data.
  /// @throws Error(kBadConfig) when the options do not fit the model or the task.
  Trainer(const SequenceModel<T>& model, const Task& task, const TrainOptions& options,
          uint64_t data_seed, Workers& workers);
  ~Trainer();

  /// The next step, whole.
  /// @throws Error(kDiverged) naming step and first bad tensor when the loss, a gradient or an
  /// updated value is NaN or infinite; nothing may be saved after that.
  StepReport Step(bool want_norms = false);

  /// The same, but nothing when `stop` says true before the update. It is asked before the step and
  /// before every sequence and shard; an abandoned step leaves values, moments and step() as they
  /// were, and the next call begins it anew.
  std::optional<StepReport> StepUnless(const StopCheck& stop, bool want_norms = false);

  /// The same in parts, for whoever watches between them:
  ///   Begin(); for m in [0, accumulate) { Draw(m); Accumulate(); } Update();
  void Begin(bool want_norms = false);
  void Draw(int64_t micro);
  void Accumulate();
  StepReport Update();

  /// Steps done. SetStep continues after that many, once values and moments have been restored.
  int64_t step() const;
  void SetStep(int64_t step);

  Parameters<T>& parameters();
  const Parameters<T>& parameters() const;
  AdamW<T>& optimiser();
  TrainingState<T> state() { return {&parameters(), &optimiser()}; }
  /// Gradients of the last step as the optimiser took them, flat, before clipping.
  std::span<const T> gradients() const;
  /// Bytes of all tapes and buffers.
  int64_t bytes() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ssm
