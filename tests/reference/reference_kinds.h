// The code each kind of case runs. A new kind is one file with one function, and one line in
// reference_kinds.cc.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reference/reference_case.h"

namespace ssm::reference {

/// Compares arrays: max|a-b| <= 1e-9 max|b|, NaN never.
class Comparison {
 public:
  /// `tolerance`: where a case's own inputs are not given to 1e-9.
  void Check(const std::string& what, std::span<const double> found, const Array<double>& expected,
             double tolerance = 1e-9);
  int64_t arrays() const { return arrays_; }
  double worst() const { return worst_; }
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  int64_t arrays_ = 0;
  double worst_ = 0;
  std::vector<std::string> failures_;
};

struct ReferenceKind {
  std::string kind;
  std::function<void(const ReferenceCase&, Comparison&)> run;
};
const std::vector<ReferenceKind>& Kinds();

void RunAdamW(const ReferenceCase& c, Comparison& comparison);
void RunBilinear(const ReferenceCase& c, Comparison& comparison);
void RunCausalConv1d(const ReferenceCase& c, Comparison& comparison);
void RunDeltaNet(const ReferenceCase& c, Comparison& comparison);
void RunGatedDeltaNet(const ReferenceCase& c, Comparison& comparison);
void RunGla(const ReferenceCase& c, Comparison& comparison);
void RunGru(const ReferenceCase& c, Comparison& comparison);
void RunHippoLagt(const ReferenceCase& c, Comparison& comparison);
void RunHippoLegs(const ReferenceCase& c, Comparison& comparison);
void RunHippoLegsOnline(const ReferenceCase& c, Comparison& comparison);
void RunHippoLegt(const ReferenceCase& c, Comparison& comparison);
void RunLstm(const ReferenceCase& c, Comparison& comparison);
void RunLinearAttention(const ReferenceCase& c, Comparison& comparison);
void RunLru(const ReferenceCase& c, Comparison& comparison);
void RunMambaLm(const ReferenceCase& c, Comparison& comparison);
void RunMinGru(const ReferenceCase& c, Comparison& comparison);
void RunRetention(const ReferenceCase& c, Comparison& comparison);
void RunRnn(const ReferenceCase& c, Comparison& comparison);
void RunRotary(const ReferenceCase& c, Comparison& comparison);
void RunS4LegsDense(const ReferenceCase& c, Comparison& comparison);
/// The same kernel by S4's diagonal form. By the bilinear rule: its generating function and its
/// scan. By zero-order hold: the recurrence in double and the scan. `c` has passed the checks of
/// RunS4LegsDense; N is even.
void CheckS4Kernel(const ReferenceCase& c, Comparison& comparison);
void CheckS4ZohKernel(const ReferenceCase& c, Comparison& comparison);
void RunS4d(const ReferenceCase& c, Comparison& comparison);
void RunS5(const ReferenceCase& c, Comparison& comparison);
void RunSelectiveScan(const ReferenceCase& c, Comparison& comparison);
void RunRwkv4Lm(const ReferenceCase& c, Comparison& comparison);
void RunWkv4(const ReferenceCase& c, Comparison& comparison);
void RunTransformerXl(const ReferenceCase& c, Comparison& comparison);
void RunWindowAttention(const ReferenceCase& c, Comparison& comparison);
void RunSsd(const ReferenceCase& c, Comparison& comparison);
void RunZoh(const ReferenceCase& c, Comparison& comparison);

}  // namespace ssm::reference
