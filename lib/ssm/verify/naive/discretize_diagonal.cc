#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

OpCase DiscretizeCase(const CaseSizes& sizes, DiscretizationRule rule, double dt_scale) {
  const bool zoh = rule == DiscretizationRule::kZoh;
  return MakeOpCase(
      "discretize_diagonal",
      std::string("discretize_diagonal ") + (zoh ? "zoh" : "bilinear") + sizes.Name() +
          " dt_scale=" + std::to_string(dt_scale),
      CaseParameters("discretize", sizes),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const Var<T> a_imag = sizes.complex ? in[2] : Var<T>{};
        const auto discrete = DiscretizeDiagonal<T>(tape, {in[0], in[1], a_imag, dt_scale, rule});
        return std::vector{discrete.a_minus_1, discrete.b_bar};
      },
      [=](std::span<const Array<double>> in) {
        return NaiveDiscretize(sizes, rule, dt_scale, in);
      });
}

/// Modes with a step each: parameters [M], as M channels of one mode without their last axis.
OpCase OwnStepsCase(int64_t modes) {
  const CaseSizes sizes{modes, 1, true};
  std::vector<Array<double>> inputs = CaseParameters("discretize own", sizes);
  for (Array<double>& input : inputs) input.Resize({modes});
  return MakeOpCase(
      "discretize_diagonal", "discretize_diagonal zoh, own steps M=" + std::to_string(modes),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const auto discrete =
            DiscretizeDiagonal<T>(tape, {in[0], in[1], in[2], 1, DiscretizationRule::kZoh});
        return std::vector{discrete.a_minus_1, discrete.b_bar};
      },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> out = NaiveDiscretize(sizes, DiscretizationRule::kZoh, 1, in);
        for (Array<double>& array : out) array.Resize({modes, 2});
        return out;
      });
}

}  // namespace

std::vector<OpCase> DiscretizeDiagonalCases() {
  std::vector<OpCase> cases;
  cases.push_back(OwnStepsCase(5));
  cases.push_back(OwnStepsCase(1));
  for (const bool complex : {true, false}) {
    for (const DiscretizationRule rule :
         {DiscretizationRule::kZoh, DiscretizationRule::kBilinear}) {
      cases.push_back(DiscretizeCase({3, 4, complex}, rule, 1));
      cases.push_back(DiscretizeCase({2, 1, complex}, rule, 2));
      cases.push_back(DiscretizeCase({1, 5, complex}, rule, 1e-3));  // the series near z = 0
    }
  }
  return cases;
}

}  // namespace ssm
