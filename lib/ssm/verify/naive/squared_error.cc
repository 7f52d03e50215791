#include "ssm/autograd/ops/squared_error.h"

#include "ssm/verify/naive/loss_case.h"

namespace ssm {

std::vector<OpCase> SquaredErrorCases() {
  return WeightedLossCases(
      "squared_error",
      [](const std::string& label, const Shape& shape) { return NormalArray(label, shape); },
      [](auto& tape, auto y, auto target, auto weight) {
        return SquaredError(tape, y, target, weight);
      },
      [](double y, double target) { return (y - target) * (y - target); });
}

}  // namespace ssm
