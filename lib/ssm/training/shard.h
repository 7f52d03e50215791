// Some rows of every micro-batch: forward, loss and backward on a tape of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ssm/models/sequence_model.h"
#include "ssm/tasks/batch.h"
#include "ssm/training/boundary_states.h"
#include "ssm/training/chunking.h"

namespace ssm {

/// What one micro-batch brings to every shard; all borrowed.
template <Scalar T>
struct ShardWork {
  const TaskPiece* piece = nullptr;
  ParamView<T> params;                          // read; the shard has gradients of its own
  const PreparedValues<T>* prepared = nullptr;  // for Chunking::Longest tokens
  Dropout dropout;                              // its row: the micro-batch's first
  bool want_norms = false;
};

/// Rows [first, first + rows) of the micro-batch.
///
/// In chunks, a first walk keeps the state before each chunk; a second goes back from the last,
/// recomputing one chunk at a time and handing dL/dstate to the one before: the gradient of the
/// whole sequence for 4/3 of its arithmetic, with one chunk's activations and steps / chunk states
/// in memory. With `carry` one walk is enough (truncated backpropagation through time).
template <Scalar T>
class Shard {
 public:
  /// Mode::kPlan counts and computes nothing.
  Shard(const SequenceModel<T>& model, const TaskSpec& spec, const Chunking& chunking,
        int64_t first, int64_t rows, Mode mode = Mode::kTrain);

  /// Zeroes loss, gradients, norms and counts.
  void Clear();
  /// Adds the weighted loss, its gradients (those of prepared values to `prepared_grads`) and
  /// norms.
  void Run(const ShardWork<T>& work, std::vector<Array<T>>& prepared_grads);

  double loss() const { return loss_; }
  const T* gradients() const { return grads_.data(); }
  /// With several chunks the mean over them.
  const std::vector<LayerNorms>& norms() const { return norms_; }
  /// Of the passes since Clear that were differentiated: what is recomputed for chunks counts once.
  std::span<const PassCount> counts() const { return counts_; }
  /// Of the largest tape so far, of inputs and of the states kept; gradients are not counted.
  int64_t bytes() const;
  /// Of all passes so far, a backward counted as two forward ones.
  const FlopCount& flops() const { return flops_; }

 private:
  void RunWhole(const ShardWork<T>& work);
  void RunCarrying(const ShardWork<T>& work);
  void WalkForward(const ShardWork<T>& work);
  void WalkBack(const ShardWork<T>& work);
  /// Puts chunk `index` of the piece where Answer and Learn read it.
  void StartChunk(const ShardWork<T>& work, int64_t index);
  void StartTape(const ShardWork<T>& work);
  ModelOutputs<T> Answer(const ShardWork<T>& work, const TapeState<T>& before, Want want,
                         bool learns);
  /// Loss and backward pass of what Answer gave.
  void Learn(const ModelOutputs<T>& outputs, const TaskPiece& piece, int64_t first, int64_t chunks);
  void SeedNext(const TapeState<T>& next);
  void KeepStateGradients(const TapeState<T>& before);

  const SequenceModel<T>& model_;
  const TaskSpec& spec_;
  Chunking chunking_;
  int64_t first_, rows_;
  Tape<T> tape_;
  State<T> initial_;
  State<T> state_, restored_;  // empty as long as nothing is cut into chunks
  BoundaryStates<T> boundaries_;
  std::vector<Array<T>> state_grads_;  // of the state before the chunk walked last
  TaskPiece cut_;
  ModelPiece<T> inputs_;
  Array<T> grads_;
  std::vector<Array<T>>* prepared_grads_ = nullptr;
  std::vector<LayerNorms> norms_, chunk_norms_;
  std::vector<PassCount> counts_;
  double loss_ = 0;
  FlopCount flops_;
  int64_t tape_bytes_ = 0;
};

}  // namespace ssm
