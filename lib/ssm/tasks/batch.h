// Batches of sequences: drawn by threads, cut in time, cast to a model's scalar.
#pragma once

#include <memory>
#include <vector>

#include "ssm/base/workers.h"
#include "ssm/tasks/task.h"
#include "ssm/tensor/piece.h"

namespace ssm {

/// Gives a piece the shapes of `rows` x `steps` under `spec`, zero everywhere; parts that `detail`
/// does not ask for, and `start`, get size 0. Keeps storage that is large enough. This is also what
/// a plan (Mode::kPlan) needs in place of data.
void ShapePiece(const TaskSpec& spec, Detail detail, int64_t rows, int64_t steps, TaskPiece* piece);

/// Rows [first, first + rows) and tokens [from, from + steps) of `whole`, in arrays that are
/// reused; `lengths` counts what of each row lies inside.
void CutPiece(const TaskPiece& whole, int64_t first, int64_t rows, int64_t from, int64_t steps,
              TaskPiece* part);

/// Bytes of all arrays of a piece.
int64_t PieceBytes(const TaskPiece& piece);

/// What the sum given by TaskLoss is divided by: the sum of weights, those that stand for several
/// outputs counted once for each. Summed in the order of rows.
double TotalWeight(const TaskSpec& spec, const TaskPiece& piece);

/// Draws rows [first, first + rows) of a split, some steps at a time. Every row is one task of the
/// workers and has its own stream, so the values depend neither on threads nor on how time is cut.
class BatchReader {
 public:
  /// Borrows both; neither may move or go.
  BatchReader(const Task& task, Workers& workers);

  /// Opens the streams of these rows; those of the batch before are dropped.
  void Open(uint64_t seed, Split split, int64_t first, int64_t rows, const StreamOptions& options);

  /// The next n steps at most, or fewer when every row ends sooner; rows that end inside get
  /// `lengths`, a row that had ended before has length 0. False, and an untouched piece, when no
  /// row had any step left. The piece's arrays are reused.
  bool Next(int64_t n, TaskPiece* piece);

  const TaskSpec& spec() const { return spec_; }

 private:
  const Task* task_;
  Workers* workers_;
  TaskSpec spec_;
  Detail detail_ = Detail::kTraining;
  std::vector<std::unique_ptr<SequenceStream>> streams_;
  std::vector<int64_t> counts_;
  int64_t longest_ = 0, taken_ = 0;  // steps a row may have, and those asked for
};

/// Rows [first, first + rows) of a TaskPiece in a model's scalar, in arrays that are reused. Move
/// it only while no view is in use.
template <Scalar T>
class ModelPiece {
 public:
  void Set(const TaskPiece& piece, int64_t first, int64_t rows);
  /// Borrowed from this object; absent parts are null.
  Piece<T> view() const;
  int64_t rows() const { return rows_; }
  int64_t steps() const { return steps_; }
  int64_t bytes() const {
    return reals_.bytes() + dt_.bytes() + tokens_.bytes() + start_.bytes() + lengths_.bytes();
  }

 private:
  Array<T> reals_, dt_;
  IntArray tokens_, start_, lengths_;
  int64_t rows_ = 0, steps_ = 0;
};

}  // namespace ssm
