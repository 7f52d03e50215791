#include "ssm/autograd/ops/layer_norm.h"

#include <cmath>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

std::vector<Array<double>> NaiveLayerNorm(std::span<const Array<double>> in, int64_t groups) {
  const int64_t n = in[1].size() / groups;
  std::vector<Array<double>> y;
  y.emplace_back(in[0].shape());
  for (int64_t row = 0; row < in[0].size(); row += n) {
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < n; ++j) mean += in[0][row + j] / static_cast<double>(n);
    for (int64_t j = 0; j < n; ++j) {
      variance += std::pow(in[0][row + j] - mean, 2) / static_cast<double>(n);
    }
    const int64_t first = row % in[1].size();
    for (int64_t j = 0; j < n; ++j) {
      const double z = (in[0][row + j] - mean) / std::sqrt(variance + 1e-5);
      y[0][row + j] = z * in[1][first + j] + in[2][first + j];
    }
  }
  return y;
}

OpCase LayerNormCase(int64_t rows, int64_t steps, int64_t n, int64_t groups = 1) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("layer_norm x", {rows, steps, n}));
  inputs.push_back(NormalArray("layer_norm weight", {n}));
  inputs.push_back(NormalArray("layer_norm bias", {n}));
  return MakeOpCase(
      "layer_norm",
      "layer_norm B=" + std::to_string(rows) + " T=" + std::to_string(steps) +
          " D=" + std::to_string(n) + " groups=" + std::to_string(groups),
      std::move(inputs),
      [=](auto& tape, auto in) {
        return std::vector{LayerNorm(tape, in[0], in[1], in[2], groups)};
      },
      [=](std::span<const Array<double>> in) { return NaiveLayerNorm(in, groups); });
}

}  // namespace

std::vector<OpCase> LayerNormCases() {
  std::vector<OpCase> cases;
  for (int64_t steps : kCaseLengths) cases.push_back(LayerNormCase(2, steps, 5));
  cases.push_back(LayerNormCase(1, 3, 33));
  cases.push_back(LayerNormCase(0, 3, 4));
  cases.push_back(LayerNormCase(2, 3, 6, 2));
  cases.push_back(LayerNormCase(1, 2, 15, 3));
  return cases;
}

}  // namespace ssm
