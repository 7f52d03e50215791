#include "ssm/autograd/ops/step_sizes.h"

#include <algorithm>
#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

constexpr int64_t kChannels = 5;

struct StepCase {
  const char* what;
  bool each = true;  // raw differs from token to token
  bool own = true;   // dt is given
  StepLimits limits = {};
  double dt_scale = 0.5;
};

OpCase MakeCase(const StepCase& c, int64_t steps) {
  const CaseBatch batch = MixedBatch(steps);
  const int64_t tokens = batch.rows * steps;
  std::vector<Array<double>> inputs;
  inputs.push_back(
      NormalArray("raw steps", c.each ? Shape{batch.rows, steps, kChannels} : Shape{kChannels}, 2));
  if (c.own) inputs.push_back(UniformArray("token dt", {batch.rows, steps}, 0.1, 2));
  return MakeOpCase(
      "step_sizes", std::string("step_sizes ") + c.what + " T=" + std::to_string(steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector{StepSizes<T>(tape, in[0], c.limits, c.own ? in[1] : Var<T>{},
                                        static_cast<T>(c.dt_scale), CaseClock(tape, batch))};
      },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> y;
        y.emplace_back(Shape{batch.rows, steps, kChannels});
        for (int64_t i = 0; i < tokens * kChannels; ++i) {
          const double softplus = std::log1p(std::exp(in[0][c.each ? i : i % kChannels]));
          const double time = c.own ? in[1][i / kChannels] : 1;
          y[0][i] = c.dt_scale * time * std::clamp(softplus, c.limits.least, c.limits.most);
        }
        return y;
      });
}

}  // namespace

std::vector<OpCase> StepSizesCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    cases.push_back(MakeCase({.what = "own"}, steps));
    cases.push_back(MakeCase({.what = "clamped", .limits = {0.3, 1.5}}, steps));
  }
  cases.push_back(MakeCase({.what = "regular", .own = false, .dt_scale = 1}, 7));
  cases.push_back(MakeCase({.what = "fixed", .each = false, .limits = {0.1, 2}}, 7));
  cases.push_back(MakeCase({.what = "fixed, regular", .each = false, .own = false}, 7));
  return cases;
}

}  // namespace ssm
