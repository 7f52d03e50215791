#include "ssm/autograd/ops/diagonal_final_state.h"

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

/// Inputs x, A_bar - 1, B_bar and, unless the rows are fresh, h0.
OpCase FinalStateCase(const CaseSizes& sizes, const CaseBatch& batch, const char* what) {
  const bool h0 = batch.before[0] > 0;
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("final_state x", {batch.rows, batch.steps, sizes.channels}));
  for (Array<double>& array : NaiveDiscretize(sizes, DiscretizationRule::kBilinear, 1,
                                              CaseParameters("final_state", sizes))) {
    inputs.push_back(std::move(array));
  }
  if (h0) inputs.push_back(NormalArray("final_state h0", sizes.State(batch.rows)));
  return MakeOpCase(
      "diagonal_final_state",
      std::string("diagonal_final_state ") + what + sizes.Name() +
          " T=" + std::to_string(batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector{DiagonalFinalState<T>(tape, in[0], {in[1], in[2]}, h0 ? in[3] : Var<T>{},
                                                 CaseClock(tape, batch))};
      },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> result =
            NaiveScan(sizes, batch, {&in[0], nullptr, nullptr, h0 ? &in[3] : nullptr},
                      FixedStep(sizes, in[1], in[2]));
        result.erase(result.begin());
        return result;
      });
}

}  // namespace

std::vector<OpCase> DiagonalFinalStateCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : {1, 2, 7, 33, 64, 127}) {
    cases.push_back(FinalStateCase({3, 2, true}, FreshBatch(steps), "fresh"));
  }
  cases.push_back(FinalStateCase({3, 2, true}, WarmBatch(33), "warm"));
  cases.push_back(FinalStateCase({17, 5, true}, MixedBatch(7), "mixed"));
  cases.push_back(FinalStateCase({3, 3, false}, MixedBatch(33), "mixed"));
  return cases;
}

}  // namespace ssm
