#include "ssm/autograd/ops/causal_conv.h"

#include <algorithm>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

struct ConvCase {
  int64_t channels = 3, taps = 4;
  int64_t first = 0, stride = 3;  // the channels among the columns of x
  bool bias = true;
  CaseBatch batch;

  bool Warm() const {
    return std::ranges::any_of(batch.before, [](int64_t before) { return before > 0; });
  }
};

using Numbers = std::vector<double>;

/// One row's inputs so far, by position; those forgotten before the piece are empty.
std::vector<Numbers> HistoryOf(const ConvCase& c, const Array<double>* ring, int64_t b) {
  std::vector<Numbers> history;
  const int64_t before = c.batch.before[static_cast<size_t>(b)], entries = c.taps - 1;
  for (int64_t p = 0; p < before; ++p) {
    history.emplace_back();
    if (before - p > entries) continue;
    const double* entry = ring->data() + (b * entries + p % entries) * c.channels;
    history.back().assign(entry, entry + c.channels);
  }
  return history;
}

/// Inputs: x, weight, bias where there is one, ring where a row continues. Outputs y, ring.
std::vector<Array<double>> NaiveConv(const ConvCase& c, std::span<const Array<double>> in) {
  const std::vector<int64_t> positions = c.batch.Positions();
  const int64_t entries = c.taps - 1;
  std::vector<Array<double>> out;
  out.emplace_back(Shape{c.batch.rows, c.batch.steps, c.channels});
  out.emplace_back(Shape{c.batch.rows, entries, c.channels});
  for (int64_t b = 0; b < c.batch.rows; ++b) {
    std::vector<Numbers> history = HistoryOf(c, c.Warm() ? &in.back() : nullptr, b);
    for (int64_t token = b * c.batch.steps; token < (b + 1) * c.batch.steps; ++token) {
      const int64_t position = positions[static_cast<size_t>(token)];
      if (position == 0) history.clear();
      if (position < 0) continue;
      const double* x = in[0].data() + token * c.stride + c.first;
      history.emplace_back(x, x + c.channels);
      for (int64_t e = 0; e < c.channels; ++e) {
        double sum = c.bias ? in[2][e] : 0;
        for (int64_t j = 0; j < c.taps; ++j) {
          const int64_t p = position - c.taps + 1 + j;
          if (p < 0) continue;
          sum += in[1][e * c.taps + j] * history[static_cast<size_t>(p)][static_cast<size_t>(e)];
        }
        out[0][token * c.channels + e] = sum;
      }
    }
    const int64_t n = std::ssize(history);
    for (int64_t p = std::max<int64_t>(n - entries, 0); p < n; ++p) {
      std::ranges::copy(history[static_cast<size_t>(p)],
                        out[1].data() + (b * entries + p % entries) * c.channels);
    }
  }
  return out;
}

OpCase MakeCase(const ConvCase& c, const std::string& what) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("conv x", {c.batch.rows, c.batch.steps, c.stride}));
  inputs.push_back(NormalArray("conv weight", {c.channels, c.taps}));
  if (c.bias) inputs.push_back(NormalArray("conv bias", {c.channels}));
  if (c.Warm()) inputs.push_back(NormalArray("conv ring", {c.batch.rows, c.taps - 1, c.channels}));
  return MakeOpCase(
      "causal_conv",
      "causal_conv " + what + " K=" + std::to_string(c.taps) +
          " T=" + std::to_string(c.batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const CausalConvOutputs<T> out =
            CausalConv<T>(tape, in[0], {c.first, c.channels}, in[1], c.bias ? in[2] : Var<T>{},
                          c.Warm() ? in.back() : Var<T>{}, CaseClock(tape, c.batch), true);
        return std::vector<Var<T>>{out.y, out.ring};
      },
      [=](std::span<const Array<double>> in) { return NaiveConv(c, in); });
}

}  // namespace

std::vector<OpCase> CausalConvCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    cases.push_back(MakeCase({3, 4, 0, 3, true, MixedBatch(steps)}, "mixed"));
  }
  for (const int64_t taps : {1, 2, 3, 5, 6, 7, 8}) {
    cases.push_back(MakeCase({3, taps, 2, 7, true, MixedBatch(11)}, "columns"));
  }
  cases.push_back(MakeCase({17, 4, 0, 17, false, FreshBatch(9)}, "fresh, no bias"));
  cases.push_back(MakeCase({2, 8, 1, 3, true, WarmBatch(2)}, "warm"));
  return cases;
}

}  // namespace ssm
