#include "ssm/autograd/ops/skip.h"

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

OpCase SkipCase(int64_t rows, int64_t steps, int64_t width) {
  const Shape shape{rows, steps, width};
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("skip y", shape));
  inputs.push_back(NormalArray("skip x", shape));
  inputs.push_back(NormalArray("skip d", {width}));
  return MakeOpCase(
      "skip",
      "skip B=" + std::to_string(rows) + " T=" + std::to_string(steps) +
          " H=" + std::to_string(width),
      std::move(inputs),
      [](auto& tape, auto in) { return std::vector{Skip(tape, in[0], in[1], in[2])}; },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> out;
        out.emplace_back(shape);
        for (int64_t i = 0; i < shape.size(); ++i)
          out[0][i] = in[0][i] + in[2][i % width] * in[1][i];
        return out;
      });
}

}  // namespace

std::vector<OpCase> SkipCases() {
  std::vector<OpCase> cases;
  cases.push_back(SkipCase(2, 7, 5));
  cases.push_back(SkipCase(1, 1, 1));
  cases.push_back(SkipCase(3, 2, 17));
  cases.push_back(SkipCase(0, 3, 4));
  return cases;
}

}  // namespace ssm
