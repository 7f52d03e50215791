#include "ssm/autograd/ops/discretize_dplr.h"

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/dplr_case.h"

namespace ssm {
namespace {

OpCase DiscretizeCase(const CaseSizes& sizes, double dt_scale) {
  return MakeOpCase(
      "discretize_dplr", "discretize_dplr" + sizes.Name() + " dt_scale=" + std::to_string(dt_scale),
      DplrCaseParameters("discretize_dplr", sizes),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const DiscreteDplr<T> steps =
            DiscretizeDplr<T>(tape, {in[0], in[1], in[2], in[3], in[4], dt_scale});
        return std::vector{steps.a_minus_1, steps.v, steps.f, steps.b};
      },
      [=](std::span<const Array<double>> in) { return NaiveDiscretizeDplr(sizes, dt_scale, in); });
}

}  // namespace

std::vector<OpCase> DiscretizeDplrCases() {
  std::vector<OpCase> cases;
  cases.push_back(DiscretizeCase({3, 4, true}, 1));
  cases.push_back(DiscretizeCase({2, 1, true}, 2));
  cases.push_back(DiscretizeCase({1, 5, true}, 1e-3));
  return cases;
}

}  // namespace ssm
