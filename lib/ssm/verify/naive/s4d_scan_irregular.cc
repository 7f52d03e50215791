#include "ssm/autograd/ops/s4d_scan_irregular.h"

#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

constexpr double kDtScale = 1.5;

/// Inputs x, dt, log_dt, log_A_real, A_imag (complex only), C, skip and, unless fresh, h0.
std::vector<Array<double>> IrregularInputs(const CaseSizes& sizes, const CaseBatch& batch) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("irregular x", {batch.rows, batch.steps, sizes.channels}));
  inputs.push_back(UniformArray("irregular dt", {batch.rows, batch.steps}, 0.3, 2));
  for (Array<double>& array : CaseParameters("irregular", sizes)) {
    inputs.push_back(std::move(array));
  }
  inputs.push_back(NormalArray("irregular c", sizes.Numbers()));
  inputs.push_back(NormalArray("irregular skip", {sizes.channels}));
  if (batch.before[0] > 0) inputs.push_back(NormalArray("irregular h0", sizes.State(batch.rows)));
  return inputs;
}

OpCase IrregularCase(const CaseSizes& sizes, const CaseBatch& batch, DiscretizationRule rule) {
  const bool zoh = rule == DiscretizationRule::kZoh, h0 = batch.before[0] > 0;
  const size_t c = sizes.complex ? 5 : 4;
  return MakeOpCase(
      "s4d_scan_irregular",
      std::string("s4d_scan_irregular ") + (zoh ? "zoh" : "bilinear") + sizes.Name() +
          " T=" + std::to_string(batch.steps) + (h0 ? " mixed" : " fresh"),
      IrregularInputs(sizes, batch),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const DiagonalParameters<T> parameters{in[2], in[3], sizes.complex ? in[4] : Var<T>{},
                                               kDtScale, rule};
        const auto [y, last] =
            S4dScanIrregular<T>(tape, in[0], in[1], parameters, in[c], in[c + 1],
                                h0 ? in[c + 2] : Var<T>{}, CaseClock(tape, batch));
        return std::vector{y, last};
      },
      [=](std::span<const Array<double>> in) {
        const auto step = [&](int64_t b, int64_t t, int64_t i) {
          const Complex pole(-std::exp(in[3][i]), sizes.complex ? in[4][i] : 0);
          const double dt =
              in[1][b * batch.steps + t] * kDtScale * std::exp(in[2][i / sizes.modes]);
          return NaiveStep(rule, dt, pole);
        };
        return NaiveScan(sizes, batch, {&in[0], &in[c], &in[c + 1], h0 ? &in[c + 2] : nullptr},
                         step);
      });
}

}  // namespace

std::vector<OpCase> S4dScanIrregularCases() {
  std::vector<OpCase> cases;
  for (const DiscretizationRule rule : {DiscretizationRule::kZoh, DiscretizationRule::kBilinear}) {
    for (const int64_t steps : {1, 2, 7, 33}) {
      cases.push_back(IrregularCase({3, 2, true}, FreshBatch(steps), rule));
      cases.push_back(IrregularCase({2, 3, false}, MixedBatch(steps), rule));
    }
    cases.push_back(IrregularCase({17, 5, true}, MixedBatch(4), rule));
    cases.push_back(IrregularCase({1, 1, true}, MixedBatch(127), rule));
  }
  return cases;
}

}  // namespace ssm
