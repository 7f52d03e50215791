#include "ssm/autograd/ops/ssd.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

constexpr int64_t kRows = 2, kHeads = 3, kFirst = 2;

/// raw [B, T, 2 + H + 1], x [B, T, H P + 1], log_a and bias [H].
std::vector<Array<double>> NaiveSsdInput(int64_t channels, double low, double high, double scale,
                                         const Array<double>* dt,
                                         std::span<const Array<double>> in) {
  const int64_t steps = in[0].shape()[1];
  std::vector<Array<double>> out;
  out.emplace_back(Shape{kRows, steps, kHeads});
  out.emplace_back(Shape{kRows, steps, kHeads * channels});
  for (int64_t t = 0; t < kRows * steps; ++t) {
    for (int64_t h = 0; h < kHeads; ++h) {
      const double raw = in[0][t * in[0].shape()[2] + kFirst + h];
      double step = std::log1p(std::exp(raw + in[3][h]));
      step = std::clamp(step, low, high) * scale * (dt == nullptr ? 1 : (*dt)[t]);
      out[0][t * kHeads + h] = -std::exp(in[2][h]) * step;
      for (int64_t p = h * channels; p < (h + 1) * channels; ++p) {
        out[1][t * kHeads * channels + p] = step * in[1][t * in[1].shape()[2] + p];
      }
    }
  }
  return out;
}

OpCase SsdCase(int64_t steps, int64_t channels, bool timed, double low, double high) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("ssd raw", {kRows, steps, kFirst + kHeads + 1}));
  inputs.push_back(NormalArray("ssd x", {kRows, steps, kHeads * channels + 1}));
  inputs.push_back(UniformArray("ssd log_a", {kHeads}, 0, 1));
  inputs.push_back(NormalArray("ssd bias", {kHeads}));
  const auto dt = Share(UniformArray("ssd dt", {kRows, steps}, 0.25, 2));
  const double scale = timed ? 2 : 1;
  return MakeOpCase(
      "ssd_input",
      "ssd_input P=" + std::to_string(channels) + " T=" + std::to_string(steps) +
          (timed ? " dt" : ""),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        SsdInputArguments<T> a;
        a.raw = in[0];
        a.first_raw = kFirst;
        a.x = in[1];
        a.log_a = in[2];
        a.bias = in[3];
        if (timed) a.dt = CopyConstant<T>(tape, *dt);
        a.dt_scale = static_cast<T>(scale);
        a.low = low;
        a.high = high;
        a.channels = channels;
        const SsdInputOutputs<T> out = SsdInput(tape, a);
        return std::vector{out.log_decay, out.values};
      },
      [=](std::span<const Array<double>> in) {
        return NaiveSsdInput(channels, low, high, scale, timed ? dt.get() : nullptr, in);
      });
}

OpCase SkipCase(int64_t steps, int64_t channels) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("head_skip y", {kRows, steps, kHeads * channels}));
  inputs.push_back(NormalArray("head_skip x", {kRows, steps, kHeads * channels + 2}));
  inputs.push_back(NormalArray("head_skip d", {kHeads}));
  return MakeOpCase(
      "head_skip", "head_skip P=" + std::to_string(channels) + " T=" + std::to_string(steps),
      std::move(inputs),
      [](auto& tape, auto in) { return std::vector{HeadSkip(tape, in[0], in[1], in[2])}; },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> z;
        z.push_back(in[0].Clone());
        const int64_t width = kHeads * channels;
        for (int64_t i = 0; i < z[0].size(); ++i) {
          z[0][i] += in[2][i % width / channels] * in[1][i / width * (width + 2) + i % width];
        }
        return z;
      });
}

}  // namespace

std::vector<OpCase> SsdCases() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    cases.push_back(SsdCase(steps, 4, true, 0, kInfinity));
    cases.push_back(SkipCase(steps, 4));
  }
  cases.push_back(SsdCase(9, 1, false, 0.5, 1.2));
  cases.push_back(SsdCase(3, 17, true, 0.5, 1.2));
  cases.push_back(SkipCase(3, 1));
  return cases;
}

}  // namespace ssm
