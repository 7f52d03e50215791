#include "ssm/autograd/ops/s4d_scan.h"

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

/// Inputs x, A_bar - 1, B_bar, C, skip and, unless the rows are fresh, h0.
std::vector<Array<double>> ScanInputs(const CaseSizes& sizes, const CaseBatch& batch, bool h0) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("s4d_scan x", {batch.rows, batch.steps, sizes.channels}));
  for (Array<double>& array :
       NaiveDiscretize(sizes, DiscretizationRule::kZoh, 1, CaseParameters("s4d_scan", sizes))) {
    inputs.push_back(std::move(array));
  }
  inputs.push_back(NormalArray("s4d_scan c", sizes.Numbers()));
  inputs.push_back(NormalArray("s4d_scan skip", {sizes.channels}));
  if (h0) inputs.push_back(NormalArray("s4d_scan h0", sizes.State(batch.rows)));
  return inputs;
}

OpCase ScanCase(const CaseSizes& sizes, const CaseBatch& batch, const char* what) {
  const bool h0 = batch.before[0] > 0;
  return MakeOpCase(
      "s4d_scan",
      std::string("s4d_scan ") + what + sizes.Name() + " T=" + std::to_string(batch.steps),
      ScanInputs(sizes, batch, h0),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const auto [y, last] = S4dScan<T>(tape, in[0], {in[1], in[2]}, in[3], in[4],
                                          h0 ? in[5] : Var<T>{}, CaseClock(tape, batch));
        return std::vector{y, last};
      },
      [=](std::span<const Array<double>> in) {
        return NaiveScan(sizes, batch, {&in[0], &in[3], &in[4], h0 ? &in[5] : nullptr},
                         FixedStep(sizes, in[1], in[2]));
      });
}

}  // namespace

std::vector<OpCase> S4dScanCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : {1, 2, 7, 33, 64, 127}) {
    cases.push_back(ScanCase({3, 2, true}, FreshBatch(steps), "fresh"));
    cases.push_back(ScanCase({2, 1, true}, MixedBatch(steps), "mixed"));
  }
  cases.push_back(ScanCase({17, 5, true}, MixedBatch(7), "mixed"));
  cases.push_back(ScanCase({17, 5, false}, MixedBatch(7), "mixed"));
  cases.push_back(ScanCase({16, 4, true}, WarmBatch(3), "warm"));
  cases.push_back(ScanCase({3, 7, false}, WarmBatch(33), "warm"));
  return cases;
}

}  // namespace ssm
