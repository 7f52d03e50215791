#include "ssm/autograd/ops/irregular_modes.h"

#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

constexpr double kDtScale = 1.5;

/// Inputs u, dt, log_dt, log_A_real, A_imag.
OpCase IrregularModesCase(int64_t rows, int64_t steps, int64_t modes, DiscretizationRule rule) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("irregular_modes u", {rows, steps, 2 * modes}));
  inputs.push_back(UniformArray("irregular_modes dt", {rows, steps}, 0.3, 2));
  inputs.push_back(UniformArray("irregular_modes log_dt", {modes}, -2, 0));
  inputs.push_back(UniformArray("irregular_modes log_A_real", {modes}, -2, 0.5));
  inputs.push_back(NormalArray("irregular_modes A_imag", {modes}));
  return MakeOpCase(
      "irregular_modes",
      std::string("irregular_modes ") + (rule == DiscretizationRule::kZoh ? "zoh" : "bilinear") +
          " B=" + std::to_string(rows) + " T=" + std::to_string(steps) +
          " M=" + std::to_string(modes),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const auto out =
            IrregularModes<T>(tape, in[0], in[1], {in[2], in[3], in[4], kDtScale, rule});
        return std::vector{out.a_minus_1, out.input};
      },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> out;
        out.emplace_back(Shape{rows, steps, modes, 2});
        out.emplace_back(Shape{rows, steps, 2 * modes});
        for (int64_t i = 0; i < rows * steps * modes; ++i) {
          const int64_t m = i % modes;
          const NaiveMode mode = NaiveStep(rule, in[1][i / modes] * kDtScale * std::exp(in[2][m]),
                                           Complex(-std::exp(in[3][m]), in[4][m]));
          SetNumber(out[0], i, true, mode.a_minus_1);
          SetNumber(out[1], i, true, mode.b_bar * NumberAt(in[0], i, true));
        }
        return out;
      });
}

}  // namespace

std::vector<OpCase> IrregularModesCases() {
  std::vector<OpCase> cases;
  for (const DiscretizationRule rule : {DiscretizationRule::kZoh, DiscretizationRule::kBilinear}) {
    cases.push_back(IrregularModesCase(2, 7, 3, rule));
    cases.push_back(IrregularModesCase(1, 1, 1, rule));
    cases.push_back(IrregularModesCase(1, 3, 17, rule));
  }
  return cases;
}

}  // namespace ssm
