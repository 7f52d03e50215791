#include "ssm/autograd/ops/rms_norm.h"

#include <cmath>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

std::vector<Array<double>> NaiveRmsNorm(std::span<const Array<double>> in, int64_t groups) {
  const int64_t n = in[1].size() / groups;
  std::vector<Array<double>> y;
  y.emplace_back(in[0].shape());
  for (int64_t row = 0; row < in[0].size(); row += n) {
    double square = 0;
    for (int64_t j = 0; j < n; ++j) square += std::pow(in[0][row + j], 2) / static_cast<double>(n);
    const int64_t first = row % in[1].size();
    for (int64_t j = 0; j < n; ++j) {
      y[0][row + j] = in[0][row + j] / std::sqrt(square + 1e-5) * in[1][first + j];
    }
  }
  return y;
}

OpCase RmsNormCase(int64_t rows, int64_t steps, int64_t n, int64_t groups = 1) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("rms_norm x", {rows, steps, n}));
  inputs.push_back(NormalArray("rms_norm weight", {n}));
  return MakeOpCase(
      "rms_norm",
      "rms_norm B=" + std::to_string(rows) + " T=" + std::to_string(steps) +
          " D=" + std::to_string(n) + " groups=" + std::to_string(groups),
      std::move(inputs),
      [=](auto& tape, auto in) { return std::vector{RmsNorm(tape, in[0], in[1], groups)}; },
      [=](std::span<const Array<double>> in) { return NaiveRmsNorm(in, groups); });
}

}  // namespace

std::vector<OpCase> RmsNormCases() {
  std::vector<OpCase> cases;
  for (int64_t steps : kCaseLengths) cases.push_back(RmsNormCase(2, steps, 5));
  cases.push_back(RmsNormCase(1, 3, 33));
  cases.push_back(RmsNormCase(2, 3, 1));
  cases.push_back(RmsNormCase(0, 3, 4));
  cases.push_back(RmsNormCase(2, 3, 6, 2));
  cases.push_back(RmsNormCase(1, 2, 15, 3));
  return cases;
}

}  // namespace ssm
