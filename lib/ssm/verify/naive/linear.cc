#include "ssm/autograd/ops/linear.h"

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

using Inputs64 = std::span<const Array<double>>;

/// in: x [B, T, I], W [O, I] and perhaps b [O].
std::vector<Array<double>> NaiveLinear(Inputs64 in) {
  const Shape& x = in[0].shape();
  const int64_t out = in[1].shape()[0], inner = in[1].shape()[1];
  std::vector<Array<double>> y;
  y.emplace_back(Shape{x[0], x[1], out});
  for (int64_t i = 0; i < x[0] * x[1]; ++i) {
    for (int64_t o = 0; o < out; ++o) {
      double sum = in.size() > 2 ? in[2][o] : 0;
      for (int64_t j = 0; j < inner; ++j) sum += in[0][i * inner + j] * in[1][o * inner + j];
      y[0][i * out + o] = sum;
    }
  }
  return y;
}

OpCase LinearCase(int64_t rows, int64_t steps, int64_t in, int64_t out, bool bias) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("linear x", {rows, steps, in}));
  inputs.push_back(NormalArray("linear W", {out, in}));
  if (bias) inputs.push_back(NormalArray("linear b", {out}));
  const std::string name = "linear B=" + std::to_string(rows) + " T=" + std::to_string(steps) +
                           " " + std::to_string(in) + "->" + std::to_string(out) +
                           (bias ? " bias" : "");
  return MakeOpCase(
      "linear", name, std::move(inputs),
      [bias](auto& tape, auto x) {
        return std::vector{bias ? Linear(tape, x[0], x[1], x[2]) : Linear(tape, x[0], x[1])};
      },
      NaiveLinear);
}

}  // namespace

std::vector<OpCase> LinearCases() {
  std::vector<OpCase> cases;
  for (int64_t steps : kCaseLengths) {
    cases.push_back(LinearCase(2, steps, 5, 3, true));
    cases.push_back(LinearCase(1, steps, 17, 1, false));
  }
  cases.push_back(LinearCase(3, 9, 1, 33, true));
  cases.push_back(LinearCase(0, 7, 5, 3, true));
  return cases;
}

}  // namespace ssm
