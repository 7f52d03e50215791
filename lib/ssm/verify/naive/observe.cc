#include "ssm/autograd/ops/observe.h"

#include <algorithm>
#include <array>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {

std::vector<OpCase> ObserveCases() {
  std::vector<OpCase> cases;
  for (int64_t steps : kCaseLengths) {
    std::vector<Array<double>> inputs;
    inputs.push_back(NormalArray("observe x", {2, steps, 3}));
    const auto norms = std::make_shared<std::array<double, 2>>();
    cases.push_back(MakeOpCase(
        "observe", "observe T=" + std::to_string(steps), std::move(inputs),
        [norms, steps](auto& tape, auto in) {
          return std::vector{
              Observe(tape, in[0], FreshClock(tape, 2, steps), &(*norms)[0], &(*norms)[1])};
        },
        [](std::span<const Array<double>> in) {
          std::vector<Array<double>> y;
          y.push_back(in[0].Clone());
          return y;
        }));
  }
  return cases;
}

}  // namespace ssm
