#include "ssm/tasks/loss.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ssm/tasks/batch.h"
#include "support/numbers.h"

namespace {

using namespace ssm;  // NOLINT

/// Three rows of two steps with two outputs, everything drawn.
TaskPiece MakePiece(const TaskSpec& spec) {
  TaskPiece piece;
  ShapePiece(spec, Detail::kTraining, 3, 2, &piece);
  const std::vector<double> numbers = test::Numbers<double>(100, 3);
  for (int64_t i = 0; i < piece.targets.size(); ++i) {
    const double drawn = numbers[static_cast<size_t>(i)];
    piece.targets[i] = spec.objective == Objective::kSquaredError ? drawn : (drawn > 0 ? 1 : 0);
  }
  for (int64_t i = 0; i < piece.weights.size(); ++i) {
    piece.weights[i] = std::fabs(numbers[static_cast<size_t>(50 + i)]);
  }
  return piece;
}

template <class T>
double LossOf(const TaskSpec& spec, const TaskPiece& piece, const std::vector<T>& y, int64_t first,
              int64_t rows) {
  Tape<T> tape(Mode::kInfer);
  const Var<T> answer = tape.Copy(Shape{rows, 2, 2}, y.data());
  const Var<T> loss = TaskLoss(tape, answer, spec, piece, first);
  CHECK(tape.shape(loss).size() == 1);
  return static_cast<double>(*tape.value(loss));
}

double Expected(const TaskSpec& spec, const TaskPiece& piece, const std::vector<double>& y,
                int64_t first, int64_t rows) {
  double sum = 0;
  for (int64_t k = 0; k < rows * 2; ++k) {
    const int64_t at = first * 2 + k;
    const double* answer = &y[static_cast<size_t>(2 * k)];
    if (spec.objective == Objective::kSoftmaxCrossEntropy) {
      const double log_sum = std::log(std::exp(answer[0]) + std::exp(answer[1]));
      sum += piece.weights[at] * (log_sum - answer[static_cast<int64_t>(piece.targets[at])]);
      continue;
    }
    for (int64_t o = 0; o < 2; ++o) {
      const double target = piece.targets[2 * at + o];
      const double w = spec.weights_per_output ? piece.weights[2 * at + o] : piece.weights[at];
      const double error = spec.objective == Objective::kSquaredError
                               ? std::pow(answer[o] - target, 2)
                               : std::log1p(std::exp(answer[o])) - target * answer[o];
      sum += w * error;
    }
  }
  return sum;
}

TEST_CASE("every objective, in rows, in both precisions") {
  const std::vector<double> y = test::Numbers<double>(12, 9);
  const std::vector<float> y_float(y.begin(), y.end());
  for (const Objective objective : {Objective::kSquaredError, Objective::kBinaryCrossEntropy,
                                    Objective::kSoftmaxCrossEntropy}) {
    for (const bool per_output : {false, true}) {
      TaskSpec spec;
      spec.objective = objective;
      spec.outputs = 2;
      spec.weights_per_output = per_output && objective != Objective::kSoftmaxCrossEntropy;
      const TaskPiece piece = MakePiece(spec);
      const double whole = LossOf(spec, piece, y, 0, 3);
      CHECK(whole == doctest::Approx(Expected(spec, piece, y, 0, 3)).epsilon(1e-13));
      CHECK(LossOf(spec, piece, y_float, 0, 3) == doctest::Approx(whole).epsilon(1e-5));
      const std::vector<double> last(y.begin() + 4, y.end());
      CHECK(LossOf(spec, piece, last, 1, 2) ==
            doctest::Approx(Expected(spec, piece, last, 1, 2)).epsilon(1e-13));
    }
  }
}

TEST_CASE("a plan takes the bytes of the real pass") {
  TaskSpec spec;
  spec.outputs = 2;
  const TaskPiece piece = MakePiece(spec);
  const std::vector<double> y = test::Numbers<double>(12, 9);
  Tape<double> real(Mode::kTrain);
  TaskLoss(real, real.Watch(Shape{3, 2, 2}, y.data()), spec, piece, 0);
  Tape<double> plan(Mode::kPlan);
  TaskPiece blank;
  ShapePiece(spec, Detail::kTraining, 3, 2, &blank);
  TaskLoss(plan, plan.Watch(Shape{3, 2, 2}, nullptr), spec, blank, 0);
  CHECK(real.bytes() == plan.bytes());
  CHECK(real.flops() == plan.flops());
}

TEST_CASE("answers of another shape are refused") {
  TaskSpec spec;
  spec.outputs = 2;
  const TaskPiece piece = MakePiece(spec);
  const std::vector<double> y = test::Numbers<double>(12, 9);
  Tape<double> tape(Mode::kInfer);
  CHECK_THROWS(TaskLoss(tape, tape.Copy(Shape{3, 2, 1}, y.data()), spec, piece, 0));
  CHECK_THROWS(TaskLoss(tape, tape.Copy(Shape{3, 1, 2}, y.data()), spec, piece, 0));
  CHECK_THROWS(TaskLoss(tape, tape.Copy(Shape{3, 2, 2}, y.data()), spec, piece, 1));
}

}  // namespace
