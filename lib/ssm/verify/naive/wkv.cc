#include "ssm/autograd/ops/wkv.h"

#include <algorithm>
#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

/// One token of the past, or the state it began with.
struct Weighed {
  double log_weight, value;
};

/// The mean and the logarithm of the total weight, all tokens at once.
Weighed Total(const std::vector<Weighed>& tokens) {
  double largest = tokens[0].log_weight, weight = 0, sum = 0;
  for (const Weighed& token : tokens) largest = std::max(largest, token.log_weight);
  for (const Weighed& token : tokens) {
    const double share = std::exp(token.log_weight - largest);
    weight += share;
    sum += share * token.value;
  }
  return {largest + std::log(weight), sum / weight};
}

/// One channel of one row: every output is a sum over all tokens that came before, none is derived
/// from another. Inputs k, v, time_decay, time_first and, unless the rows are fresh, mean and
/// log_weight.
void NaiveRow(const CaseBatch& batch, int64_t row, int64_t c, std::span<const Array<double>> in,
              std::vector<Array<double>>& result) {
  const std::vector<int64_t> positions = batch.Positions();
  const int64_t channels = in[2].size(), state = row * channels + c;
  const double decay = std::exp(in[2][c]);
  std::vector<Weighed> past;
  if (in.size() > 4) past.push_back({in[5][state], in[4][state]});
  for (int64_t token = row * batch.steps; token < (row + 1) * batch.steps; ++token) {
    const int64_t position = positions[static_cast<size_t>(token)], at = token * channels + c;
    if (position < 0) continue;
    if (position == 0) past.clear();
    std::vector<Weighed> seen = past;
    seen.push_back({in[3][c] + in[0][at], in[1][at]});
    result[0][at] = Total(seen).value;
    for (Weighed& before : past) before.log_weight -= decay;
    past.push_back({in[0][at], in[1][at]});
  }
  if (past.empty()) return;
  const Weighed last = Total(past);
  result[1][state] = last.value;
  result[2][state] = last.log_weight;
}

std::vector<Array<double>> NaiveWkv(const CaseBatch& batch, std::span<const Array<double>> in) {
  const int64_t channels = in[2].size();
  std::vector<Array<double>> result;
  result.emplace_back(in[0].shape());
  for (int i = 0; i < 2; ++i) result.emplace_back(Shape{batch.rows, channels});
  for (int64_t row = 0; row < batch.rows; ++row) {
    for (int64_t c = 0; c < channels; ++c) NaiveRow(batch, row, c, in, result);
  }
  return result;
}

/// `scale`: of keys, bonuses and the state's logarithms.
OpCase WkvCase(int64_t channels, const CaseBatch& batch, const char* what, double scale = 1) {
  const Shape all{batch.rows, batch.steps, channels}, state{batch.rows, channels};
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("wkv k", all, scale));
  inputs.push_back(NormalArray("wkv v", all));
  inputs.push_back(UniformArray("wkv time_decay", {channels}, -5, 2));
  inputs.push_back(NormalArray("wkv time_first", {channels}, scale));
  const bool warm = batch.before[0] > 0;
  if (warm) {
    inputs.push_back(NormalArray("wkv mean", state));
    inputs.push_back(NormalArray("wkv log_weight", state, scale));
  }
  return MakeOpCase(
      "wkv",
      std::string("wkv ") + what + " D=" + std::to_string(channels) +
          " T=" + std::to_string(batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        WkvArguments<T> arguments{in[0], in[1], in[2], in[3], {}, {}};
        if (warm) {
          arguments.mean = in[4];
          arguments.log_weight = in[5];
        }
        const WkvOutputs<T> out = Wkv<T>(tape, arguments, CaseClock(tape, batch));
        return std::vector<Var<T>>{out.y, out.mean, out.log_weight};
      },
      [=](std::span<const Array<double>> in) { return NaiveWkv(batch, in); });
}

}  // namespace

std::vector<OpCase> WkvCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    cases.push_back(WkvCase(3, MixedBatch(steps), "mixed"));
  }
  cases.push_back(WkvCase(1, FreshBatch(7), "fresh"));
  cases.push_back(WkvCase(17, WarmBatch(5), "warm"));
  cases.push_back(WkvCase(5, MixedBatch(9), "keys of hundreds", 300));
  return cases;
}

}  // namespace ssm
