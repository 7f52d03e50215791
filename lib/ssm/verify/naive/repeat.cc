#include "ssm/autograd/ops/repeat.h"

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

OpCase RepeatCase(int64_t n) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("repeat x", {1}));
  return MakeOpCase(
      "repeat", "repeat n=" + std::to_string(n), std::move(inputs),
      [n](auto& tape, auto in) { return std::vector{Repeat(tape, in[0], n)}; },
      [n](std::span<const Array<double>> in) {
        std::vector<Array<double>> out;
        out.emplace_back(Shape{n});
        for (int64_t i = 0; i < n; ++i) out[0][i] = in[0][0];
        return out;
      });
}

}  // namespace

std::vector<OpCase> RepeatCases() {
  std::vector<OpCase> cases;
  cases.push_back(RepeatCase(1));
  cases.push_back(RepeatCase(9));
  return cases;
}

}  // namespace ssm
