#include "ssm/autograd/ops/binary_cross_entropy.h"

#include <cmath>

#include "ssm/verify/naive/loss_case.h"

namespace ssm {

std::vector<OpCase> BinaryCrossEntropyCases() {
  return WeightedLossCases(
      "binary_cross_entropy",
      [](const std::string& label, const Shape& shape) {
        return Cast<double>(IdArray(label, shape, 2));
      },
      [](auto& tape, auto y, auto target, auto weight) {
        return BinaryCrossEntropy(tape, y, target, weight);
      },
      [](double y, double target) {
        const double p = 1 / (1 + std::exp(-y));
        return -(target * std::log(p) + (1 - target) * std::log(1 - p));
      });
}

}  // namespace ssm
