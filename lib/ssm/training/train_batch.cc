#include "ssm/training/train_batch.h"

#include <algorithm>
#include <numeric>

#include "ssm/base/crash_point.h"
#include "ssm/base/errors.h"
#include "ssm/training/example_order.h"

namespace ssm {
namespace {

/// Null where the part is absent.
template <class E>
E* RowOf(Array<E>& array, int64_t row, int64_t rows) {
  return array.size() == 0 ? nullptr : array.data() + row * (array.size() / rows);
}

template <class E>
void ZeroRow(Array<E>& array, int64_t row, int64_t rows) {
  if (E* first = RowOf(array, row, rows)) std::fill_n(first, array.size() / rows, E{0});
}

}  // namespace

void RequireTrainingSequences(const Task& task) {
  if (task.Examples(Split::kTrain, {}) != 0) return;
  Fail(ExitCode::kBadConfig, "/task: the training split holds no sequence");
}

TrainBatch::TrainBatch(const Task& task, int64_t rows, uint64_t seed, Workers& workers)
    : task_(&task),
      spec_(task.Spec()),
      rows_(rows),
      examples_(task.Examples(Split::kTrain, {})),
      seed_(seed),
      workers_(&workers) {
  RequireTrainingSequences(task);
  ShapePiece(spec_, Detail::kTraining, rows, spec_.steps, &piece_);
  piece_.start = IntArray(Shape{rows, spec_.steps});
  if (spec_.unequal_lengths) piece_.lengths = IntArray(Shape{rows});
}

void TrainBatch::Draw(int64_t first, const StopCheck& stop) {
  Pass(CrashPoint::kDraw);
  const auto task = [&](int64_t row, int) {
    if (stop && stop()) return;
    DrawRow(row, TrainExample(seed_, first + row, examples_));
  };
  workers_->Run(rows_, task);
}

void TrainBatch::DrawRow(int64_t row, int64_t example) {
  ZeroRow(piece_.reals, row, rows_);
  ZeroRow(piece_.tokens, row, rows_);
  ZeroRow(piece_.dt, row, rows_);
  ZeroRow(piece_.start, row, rows_);
  ZeroRow(piece_.targets, row, rows_);
  ZeroRow(piece_.weights, row, rows_);
  PieceRow out;
  out.reals = RowOf(piece_.reals, row, rows_);
  out.tokens = RowOf(piece_.tokens, row, rows_);
  out.dt = RowOf(piece_.dt, row, rows_);
  out.start = RowOf(piece_.start, row, rows_);
  out.targets = RowOf(piece_.targets, row, rows_);
  out.weights = RowOf(piece_.weights, row, rows_);
  const auto stream = task_->Open(seed_, Split::kTrain, example, StreamOptions{});
  const int64_t length = stream->Next(spec_.steps, out);
  SSM_CHECK(length == spec_.steps || (spec_.unequal_lengths && 0 <= length),
            "a stream ended before the steps its task promises");
  if (spec_.unequal_lengths) piece_.lengths[row] = length;
}

int64_t TrainBatch::tokens() const {
  if (piece_.lengths.size() == 0) return rows_ * spec_.steps;
  const auto lengths = piece_.lengths.flat();
  return std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
}

}  // namespace ssm
