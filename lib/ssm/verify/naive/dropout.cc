#include "ssm/autograd/ops/dropout.h"

#include "ssm/base/random.h"
#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

constexpr int64_t kRows = 2;
constexpr DropoutSite kSite{.key = 0x123456789abcdef0, .site = 3, .row = 5, .rate = 0.3};

std::vector<Array<double>> NaiveDropout(const Array<double>& x) {
  const int64_t steps = x.shape()[1], channels = x.shape()[2];
  std::vector<Array<double>> y;
  y.emplace_back(x.shape());
  for (int64_t i = 0; i < x.size(); ++i) {
    const auto channel = static_cast<uint32_t>(i % channels);
    const auto position = static_cast<uint32_t>(i / channels % steps);
    const auto row = static_cast<uint32_t>(kSite.row + i / channels / steps);
    const auto bits = Philox4x32({channel / 4, position, row, 3}, {0x9abcdef0u, 0x12345678u});
    const bool kept = static_cast<double>(bits[channel % 4]) / 4294967296.0 >= kSite.rate;
    y[0][i] = kept ? x[i] / (1 - kSite.rate) : 0;
  }
  return y;
}

OpCase DropoutCase(int64_t steps, int64_t channels) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("dropout x", {kRows, steps, channels}));
  return MakeOpCase(
      "dropout", "dropout T=" + std::to_string(steps) + " D=" + std::to_string(channels),
      std::move(inputs),
      [steps](auto& tape, auto in) {
        return std::vector{ApplyDropout(tape, in[0], FreshClock(tape, kRows, steps), kSite)};
      },
      [](std::span<const Array<double>> in) { return NaiveDropout(in[0]); });
}

}  // namespace

std::vector<OpCase> DropoutCases() {
  std::vector<OpCase> cases;
  for (int64_t steps : kCaseLengths) cases.push_back(DropoutCase(steps, 5));
  cases.push_back(DropoutCase(3, 130));
  return cases;
}

}  // namespace ssm
