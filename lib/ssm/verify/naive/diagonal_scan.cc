#include "ssm/autograd/ops/diagonal_scan.h"

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

struct ScanForm {
  int64_t channels;
  bool complex, fixed, minus_one = false;

  Shape One() const { return complex ? Shape{channels, 2} : Shape{channels}; }
};

/// Inputs a, b and, unless the rows are fresh, h0. Padding repeats the state.
std::vector<Array<double>> NaiveDiagonalScan(const ScanForm& form, const CaseBatch& batch,
                                             std::span<const Array<double>> in) {
  const std::vector<int64_t> positions = batch.Positions();
  std::vector<Array<double>> result;
  result.emplace_back(in[1].shape());
  result.emplace_back(form.One().Prepend(batch.rows));
  for (int64_t b = 0; b < batch.rows; ++b) {
    for (int64_t c = 0; c < form.channels; ++c) {
      const int64_t row = b * form.channels + c;
      Complex h = in.size() > 2 ? NumberAt(in[2], row, form.complex) : 0;
      for (int64_t t = 0; t < batch.steps; ++t) {
        const int64_t token = b * batch.steps + t, at = token * form.channels + c;
        const int64_t position = positions[static_cast<size_t>(token)];
        const Complex a =
            NumberAt(in[0], form.fixed ? c : at, form.complex) + (form.minus_one ? 1.0 : 0.0);
        if (position == 0) h = 0;
        if (position >= 0) h = a * h + NumberAt(in[1], at, form.complex);
        SetNumber(result[0], at, form.complex, h);
      }
      SetNumber(result[1], row, form.complex, h);
    }
  }
  return result;
}

OpCase DiagonalScanCase(const ScanForm& form, const CaseBatch& batch, const char* what) {
  const Shape all = form.One().Prepend(batch.steps).Prepend(batch.rows);
  std::vector<Array<double>> inputs;
  const double highest = form.minus_one ? -0.1 : 0.7;
  inputs.push_back(UniformArray("diagonal_scan a", form.fixed ? form.One() : all, -0.7, highest));
  inputs.push_back(NormalArray("diagonal_scan b", all));
  const bool h0 = batch.before[0] > 0;
  if (h0) inputs.push_back(NormalArray("diagonal_scan h0", form.One().Prepend(batch.rows)));
  const ScanField field = form.complex ? ScanField::kComplex : ScanField::kReal;
  return MakeOpCase(
      "diagonal_scan",
      std::string("diagonal_scan ") + what + (form.complex ? " complex" : " real") +
          (form.fixed ? " fixed" : " per-step") + (form.minus_one ? " minus one" : "") +
          " C=" + std::to_string(form.channels) + " T=" + std::to_string(batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const auto [h, last] = DiagonalScan<T>(
            tape, field, in[0], in[1], h0 ? in[2] : Var<T>{}, CaseClock(tape, batch),
            form.minus_one ? ScanCoefficient::kMinusOne : ScanCoefficient::kWhole);
        return std::vector{h, last};
      },
      [=](std::span<const Array<double>> in) { return NaiveDiagonalScan(form, batch, in); });
}

}  // namespace

std::vector<OpCase> DiagonalScanCases() {
  std::vector<OpCase> cases;
  for (const bool complex : {false, true}) {
    for (const bool fixed : {false, true}) {
      for (const int64_t steps : {1, 2, 7, 33, 64, 127}) {
        cases.push_back(DiagonalScanCase({1, complex, fixed}, MixedBatch(steps), "mixed"));
      }
      cases.push_back(DiagonalScanCase({3, complex, fixed, true}, MixedBatch(33), "mixed"));
      cases.push_back(DiagonalScanCase({17, complex, fixed}, FreshBatch(5), "fresh"));
      cases.push_back(DiagonalScanCase({3, complex, fixed}, WarmBatch(9), "warm"));
    }
  }
  return cases;
}

}  // namespace ssm
