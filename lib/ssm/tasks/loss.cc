#include "ssm/tasks/loss.h"

#include <algorithm>
#include <array>

#include "ssm/autograd/ops/binary_cross_entropy.h"
#include "ssm/autograd/ops/softmax_cross_entropy.h"
#include "ssm/autograd/ops/squared_error.h"
#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// Rows [first, first + rows) of [B, ...] as a constant on the tape.
template <Scalar T>
Var<T> Rows(Tape<T>& tape, const Array<double>& from, int64_t first, int64_t rows) {
  const Shape& whole = from.shape();
  std::array<int64_t, Shape::kMaxRank> axes{};
  std::copy(whole.begin(), whole.end(), axes.begin());
  axes[0] = rows;
  const Var<T> var = tape.New(Shape(axes.data(), whole.rank()));
  if (tape.Live()) {
    const int64_t width = from.size() / whole[0];
    std::transform(from.data() + width * first, from.data() + width * (first + rows), tape.out(var),
                   [](double value) { return static_cast<T>(value); });
  }
  return var;
}

}  // namespace

template <Scalar T>
Var<T> TaskLoss(Tape<T>& tape, Var<T> y, const TaskSpec& spec, const TaskPiece& piece,
                int64_t first_row) {
  const Shape shape = tape.shape(y);  // a copy: new values may move the original
  SSM_CHECK(shape.rank() == 3 && shape[1] == piece.steps && shape[2] == spec.outputs,
            "y " + shape.ToString() + " does not answer this piece");
  SSM_CHECK(first_row >= 0 && first_row + shape[0] <= piece.rows, "rows outside the piece");
  const Var<T> target = Rows(tape, piece.targets, first_row, shape[0]);
  const Var<T> weight = Rows(tape, piece.weights, first_row, shape[0]);
  switch (spec.objective) {
    case Objective::kSquaredError:
      return SquaredError(tape, y, target, weight);
    case Objective::kBinaryCrossEntropy:
      return BinaryCrossEntropy(tape, y, target, weight);
    case Objective::kSoftmaxCrossEntropy:
      return SoftmaxCrossEntropy(tape, y, target, weight);
  }
  SSM_CHECK(false, "an objective without a loss");
}

template Var<float> TaskLoss(Tape<float>&, Var<float>, const TaskSpec&, const TaskPiece&, int64_t);
template Var<double> TaskLoss(Tape<double>&, Var<double>, const TaskSpec&, const TaskPiece&,
                              int64_t);

}  // namespace ssm
