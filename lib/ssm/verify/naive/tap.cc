#include "ssm/autograd/ops/tap.h"

#include <array>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {

std::vector<OpCase> TapCases() {
  std::vector<OpCase> cases;
  for (const bool keeps : {true, false}) {
    std::vector<Array<double>> inputs;
    inputs.push_back(NormalArray("tap x", {2, 3, 5}));
    cases.push_back(MakeOpCase(
        "tap", keeps ? "tap that keeps" : "tap", std::move(inputs),
        [keeps](auto& tape, auto in) {
          using A = std::remove_cvref_t<decltype(*tape.value(in[0]))>;
          static std::array<Array<A>, 2> kept;
          return std::vector{
              Tap<A>(tape, in[0], keeps ? &kept[0] : nullptr, keeps ? &kept[1] : nullptr)};
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
