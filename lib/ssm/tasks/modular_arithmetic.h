// modular_arithmetic: say what an expression of digits comes to.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/expression_stream.h"
#include "ssm/tasks/length_range.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Arithmetic modulo m without brackets (Deletang et al. 2023; Grazzi et al. 2024): digits and
/// operators in turn, and at the last digit, or with `every` at each, the value of the expression
/// so far, products before sums. Two numbers modulo m are enough of a state: the sum of the terms
/// that are complete and the term that is not. Products by 0 make small values of some expressions
/// more frequent than others; what that is worth is told as "zero".
///
/// Lengths: see LengthRange.
class ModularArithmetic final : public Task, public LengthRange {
 public:
  int64_t modulus = 5;
  enum class Operators { kSums, kAll } operators = Operators::kAll;
  bool every = false;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

 private:
  ExpressionLaw LawOf(Split split, const StreamOptions& options) const;
};

}  // namespace ssm
