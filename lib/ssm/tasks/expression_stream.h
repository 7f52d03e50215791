// One sequence of modular_arithmetic, drawn step by step.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/length_range.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Digits 0 to `modulus` - 1 on steps 0, 2, 4, ... and between them operators, all drawn uniformly:
/// ids modulus (plus), modulus + 1 (minus) and with `times` modulus + 2. Where the length is even
/// the last operator has nothing after it.
struct ExpressionLaw {
  int64_t modulus = 5;
  bool times = true;
  Lengths lengths;
  bool every = false;  // each digit is scored, not just the last
};

/// The target of a digit is what the expression up to it comes to, modulo `modulus`, products
/// before sums. References in the order of ExpressionReferences; latents are that value, and the
/// sum of the terms before the last. O(1) a step, constant memory.
std::unique_ptr<SequenceStream> MakeExpressionStream(const ExpressionLaw& law, Random random);

/// "value" (the ceiling), "last term" (knows no more than the product that is not yet added),
/// "zero" (says 0, the most frequent value where there are products), "newest" (the newest digit)
/// and "guess".
std::vector<Reference> ExpressionReferences();

/// Accuracies of ExpressionReferences, in that order: by the chain of (sum, last term), exact to
/// 1e-12. O(modulus^3) a digit, until the chain has settled.
std::vector<double> ExpressionAccuracies(const ExpressionLaw& law);

}  // namespace ssm
