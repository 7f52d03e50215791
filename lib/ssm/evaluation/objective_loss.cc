#include "ssm/evaluation/objective_loss.h"

#include <algorithm>
#include <cmath>

namespace ssm {
namespace {

double SquaredError(double y, double target) { return (y - target) * (y - target); }

/// log(1 + e^y) - target * y, without overflow.
double BinaryCrossEntropy(double y, double target) {
  return std::max(y, 0.0) - target * y + std::log1p(std::exp(-std::abs(y)));
}

double SoftmaxCrossEntropy(const double* y, int64_t classes, int64_t target) {
  const double largest = *std::max_element(y, y + classes);
  double total = 0;
  for (int64_t c = 0; c < classes; ++c) total += std::exp(y[c] - largest);
  return largest + std::log(total) - y[target];
}

}  // namespace

void AddObjectiveLoss(const TaskSpec& spec, const TaskPiece& piece, const double* y,
                      std::span<double> sum, std::span<double> weight) {
  const bool classes = spec.objective == Objective::kSoftmaxCrossEntropy;
  const int64_t outputs = spec.outputs;
  const int64_t targets = classes ? 1 : outputs;
  for (int64_t b = 0; b < piece.rows; ++b) {
    const size_t row = static_cast<size_t>(b);
    for (int64_t t = 0; t < piece.steps; ++t) {
      const int64_t at = b * piece.steps + t;
      for (int64_t o = 0; o < targets; ++o) {
        const double w = piece.weights[spec.weights_per_output ? at * targets + o : at];
        if (w == 0) continue;
        const double target = piece.targets[at * targets + o];
        const double* value = y + at * outputs + (classes ? 0 : o);
        double loss = 0;
        switch (spec.objective) {
          case Objective::kSquaredError:
            loss = SquaredError(*value, target);
            break;
          case Objective::kBinaryCrossEntropy:
            loss = BinaryCrossEntropy(*value, target);
            break;
          case Objective::kSoftmaxCrossEntropy:
            loss = SoftmaxCrossEntropy(value, outputs, static_cast<int64_t>(target));
            break;
        }
        sum[row] += w * loss;
        weight[row] += w;
      }
    }
  }
}

}  // namespace ssm
