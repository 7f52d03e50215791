#include "ssm/autograd/ops/diagonal_response.h"

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

/// Inputs y, A_bar - 1, C, h0.
OpCase ResponseCase(const CaseSizes& sizes, const CaseBatch& batch, const char* what) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("response y", {batch.rows, batch.steps, sizes.channels}));
  inputs.push_back(std::move(
      NaiveDiscretize(sizes, DiscretizationRule::kZoh, 1, CaseParameters("response", sizes))[0]));
  inputs.push_back(NormalArray("response c", sizes.Numbers()));
  inputs.push_back(NormalArray("response h0", sizes.State(batch.rows)));
  return MakeOpCase(
      "diagonal_response",
      std::string("diagonal_response ") + what + sizes.Name() + " T=" + std::to_string(batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        // B_bar plays no part: any array of its shape will do.
        return std::vector{
            DiagonalResponse<T>(tape, in[0], {in[1], in[1]}, in[2], in[3], CaseClock(tape, batch))};
      },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> y = NaiveScan(sizes, batch, {nullptr, &in[2], nullptr, &in[3]},
                                                 FixedStep(sizes, in[1], in[1]));
        y.pop_back();
        for (int64_t i = 0; i < y[0].size(); ++i) y[0][i] += in[0][i];
        return y;
      });
}

}  // namespace

std::vector<OpCase> DiagonalResponseCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : {1, 2, 7, 33, 64, 127}) {
    cases.push_back(ResponseCase({3, 2, true}, WarmBatch(steps), "warm"));
  }
  cases.push_back(ResponseCase({17, 5, true}, MixedBatch(7), "mixed"));
  cases.push_back(ResponseCase({3, 3, false}, MixedBatch(33), "mixed"));
  return cases;
}

}  // namespace ssm
