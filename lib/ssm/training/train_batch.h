// The sequences of one micro-batch.
#pragma once

#include <cstdint>
#include <functional>

#include "ssm/base/workers.h"
#include "ssm/tasks/batch.h"

namespace ssm {

/// Asked from any worker whether work under way is to be abandoned; once true it stays so. Empty:
/// never.
using StopCheck = std::function<bool()>;

/// @throws Error(kBadConfig) when the training split is empty.
void RequireTrainingSequences(const Task& task);

/// Draws whole training sequences in the order of the run (TrainExample), a row a task. Storage is
/// kept from batch to batch; the streams are not.
class TrainBatch {
 public:
  /// Borrows task and workers. @throws Error(kBadConfig) when the training split is empty.
  TrainBatch(const Task& task, int64_t rows, uint64_t seed, Workers& workers);

  /// Places [first, first + rows) of the run. Shorter sequences are padded on the right. Rows that
  /// are not begun when `stop` says true are not drawn.
  void Draw(int64_t first, const StopCheck& stop = {});

  const TaskSpec& spec() const { return spec_; }
  /// [rows, spec().steps, ...].
  const TaskPiece& piece() const { return piece_; }
  int64_t tokens() const;

 private:
  void DrawRow(int64_t row, int64_t example);

  const Task* task_;
  TaskSpec spec_;
  int64_t rows_, examples_;
  uint64_t seed_;
  Workers* workers_;
  TaskPiece piece_;
};

}  // namespace ssm
