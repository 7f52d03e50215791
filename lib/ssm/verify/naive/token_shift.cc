#include "ssm/autograd/ops/token_shift.h"

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

/// Inputs x, mix and, unless the rows are fresh, the tail.
std::vector<Array<double>> NaiveTokenShift(const CaseBatch& batch,
                                           std::span<const Array<double>> in) {
  const std::vector<int64_t> positions = batch.Positions();
  const int64_t width = in[1].size();
  std::vector<Array<double>> result;
  Array<double>& y = result.emplace_back(in[0].shape());
  for (int64_t token = 0; token < batch.rows * batch.steps; ++token) {
    const int64_t position = positions[static_cast<size_t>(token)], row = token / batch.steps;
    for (int64_t d = 0; d < width && position >= 0; ++d) {
      double before = 0;
      if (position > 0) {
        before = token % batch.steps > 0 ? in[0][(token - 1) * width + d] : in[2][row * width + d];
      }
      y[token * width + d] = before + in[1][d] * (in[0][token * width + d] - before);
    }
  }
  return result;
}

OpCase ShiftCase(int64_t width, const CaseBatch& batch, const char* what) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("token_shift x", {batch.rows, batch.steps, width}));
  inputs.push_back(UniformArray("token_shift mix", {width}, -0.2, 1.3));
  const bool warm = batch.before[0] > 0;
  if (warm) inputs.push_back(NormalArray("token_shift tail", {batch.rows, 1, width}));
  return MakeOpCase(
      "token_shift",
      std::string("token_shift ") + what + " D=" + std::to_string(width) +
          " T=" + std::to_string(batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector<Var<T>>{
            TokenShift<T>(tape, in[0], in[1], warm ? in[2] : Var<T>{}, CaseClock(tape, batch))};
      },
      [=](std::span<const Array<double>> in) { return NaiveTokenShift(batch, in); });
}

}  // namespace

std::vector<OpCase> TokenShiftCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    cases.push_back(ShiftCase(3, MixedBatch(steps), "mixed"));
  }
  cases.push_back(ShiftCase(1, FreshBatch(7), "fresh"));
  cases.push_back(ShiftCase(17, WarmBatch(5), "warm"));
  return cases;
}

}  // namespace ssm
