#include "ssm/autograd/ops/fft_conv.h"

#include <cmath>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

std::vector<Array<double>> NaiveConv(const Array<double>& x, const Array<double>& kernel) {
  const int64_t rows = x.shape()[0], steps = x.shape()[1], channels = x.shape()[2];
  const int64_t taps = kernel.shape()[1];
  std::vector<Array<double>> y;
  y.emplace_back(x.shape());
  for (int64_t b = 0; b < rows; ++b) {
    for (int64_t t = 0; t < steps; ++t) {
      for (int64_t d = 0; d < channels; ++d) {
        for (int64_t k = 0; k <= t; ++k) {
          y[0][(b * steps + t) * channels + d] +=
              kernel[d * taps + k] * x[(b * steps + t - k) * channels + d];
        }
      }
    }
  }
  return y;
}

/// Inputs x, kernel [channels, steps + spare].
OpCase ConvCase(int64_t rows, int64_t steps, int64_t channels, int64_t spare) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("fft_conv x", {rows, steps, channels}));
  inputs.push_back(NormalArray("fft_conv kernel", {channels, steps + spare},
                               1 / std::sqrt(static_cast<double>(steps))));
  return MakeOpCase(
      "fft_conv",
      "fft_conv B=" + std::to_string(rows) + " T=" + std::to_string(steps) +
          " D=" + std::to_string(channels) + " L=" + std::to_string(steps + spare),
      std::move(inputs),
      [](auto& tape, auto in) { return std::vector{FftConv(tape, in[0], in[1])}; },
      [](std::span<const Array<double>> in) { return NaiveConv(in[0], in[1]); });
}

}  // namespace

std::vector<OpCase> FftConvCases() {
  std::vector<OpCase> cases;
  // 64 tokens are the last that are summed directly.
  for (const int64_t steps : {1, 2, 7, 33, 64, 65, 127}) cases.push_back(ConvCase(2, steps, 2, 0));
  cases.push_back(ConvCase(3, 9, 17, 4));
  cases.push_back(ConvCase(3, 70, 2, 31));
  cases.push_back(ConvCase(1, 67, 1, 0));
  cases.push_back(ConvCase(2, 66, 17, 0));
  return cases;
}

}  // namespace ssm
