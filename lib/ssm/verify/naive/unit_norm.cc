#include "ssm/autograd/ops/unit_norm.h"

#include <cmath>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

OpCase UnitNormCase(const Shape& shape, int64_t groups, int64_t width, double eps) {
  const int64_t n = shape.Back(0);
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("unit_norm x", shape));
  return MakeOpCase(
      "unit_norm",
      "unit_norm " + shape.ToString() + " G=" + std::to_string(groups) +
          " width=" + std::to_string(width),
      std::move(inputs),
      [=](auto& tape, auto in) { return std::vector{UnitNorm(tape, in[0], groups, width, eps)}; },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> y;
        y.push_back(in[0].Clone());
        for (int64_t row = 0; row < in[0].size(); row += n) {
          for (int64_t j = 0; j < groups * width; ++j) {
            double square = eps;
            for (int64_t i = 0; i < width; ++i) {
              square += std::pow(in[0][row + j / width * width + i], 2);
            }
            y[0][row + j] = in[0][row + j] / std::sqrt(square);
          }
        }
        return y;
      });
}

}  // namespace

std::vector<OpCase> UnitNormCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    cases.push_back(UnitNormCase({2, steps, 8}, 2, 3, 1e-6));
  }
  cases.push_back(UnitNormCase({1, 3, 34}, 2, 17, 0.3));
  cases.push_back(UnitNormCase({1, 2, 3}, 0, 1, 1e-6));
  cases.push_back(UnitNormCase({0, 2, 4}, 2, 2, 1e-6));
  return cases;
}

}  // namespace ssm
