// What the cases of ops over diagonal systems share: batches with starts and padding, complex
// numbers in arrays, the recurrence written out.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ssm/autograd/ops/discretize_diagonal.h"
#include "ssm/verify/naive/case_data.h"

namespace ssm {

/// Rows at different phases of their sequences.
struct CaseBatch {
  int64_t rows = 2, steps = 1;
  std::vector<int64_t> before;              // [rows]
  std::shared_ptr<const IntArray> start;    // [rows, steps], null: none
  std::shared_ptr<const IntArray> lengths;  // [rows], null: no padding

  /// Position of every token in its sequence, -1 for padding, derived without a Clock.
  std::vector<int64_t> Positions() const;
};

/// All rows start at t = 0.
CaseBatch FreshBatch(int64_t steps);
/// Row 0 continues and starts over half way, row 1 starts at 0 and again at 1, row 2 continues and
/// ends early.
CaseBatch MixedBatch(int64_t steps);
/// Both rows continue to the end.
CaseBatch WarmBatch(int64_t steps);

template <Scalar T>
Clock CaseClock(Tape<T>& tape, const CaseBatch& batch) {
  return MakeClock(tape, std::span<const int64_t>(batch.before), batch.steps, batch.start.get(),
                   batch.lengths.get());
}

/// D channels of M modes.
struct CaseSizes {
  int64_t channels = 3, modes = 2;
  bool complex = true;

  Shape Numbers() const;
  Shape State(int64_t rows) const;
  std::string Name() const;
};

using Complex = std::complex<double>;

/// Number i of an array of pairs, or of reals.
Complex NumberAt(const Array<double>& array, int64_t i, bool complex);
void SetNumber(Array<double>& array, int64_t i, bool complex, Complex value);

/// log_dt [D], log_A_real [D, M], A_imag [D, M] (complex only): moderate, stable.
std::vector<Array<double>> CaseParameters(const std::string& label, const CaseSizes& sizes);
/// A_bar - 1 and B_bar by the textbook formulas.
std::vector<Array<double>> NaiveDiscretize(const CaseSizes& sizes, DiscretizationRule rule,
                                           double dt_scale,
                                           std::span<const Array<double>> parameters);
struct NaiveMode {
  Complex a_minus_1, b_bar;
};
NaiveMode NaiveStep(DiscretizationRule rule, double dt, Complex pole);

/// h = h + (A_bar - 1) h + B_bar x; y = s Re sum C h + skip x. Null x, c, skip or h0 are zero.
struct NaiveScanArguments {
  const Array<double>*x = nullptr, *c = nullptr, *skip = nullptr, *h0 = nullptr;
};
/// A_bar - 1 and B_bar of mode i = d M + n at token t of row b.
using StepAt = std::function<NaiveMode(int64_t b, int64_t t, int64_t i)>;
/// {y, last}
std::vector<Array<double>> NaiveScan(const CaseSizes& sizes, const CaseBatch& batch,
                                     const NaiveScanArguments& arguments, const StepAt& step);
/// Steps that stand still.
StepAt FixedStep(const CaseSizes& sizes, const Array<double>& a_minus_1,
                 const Array<double>& b_bar);

}  // namespace ssm
