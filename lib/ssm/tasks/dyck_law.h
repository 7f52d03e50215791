// The law of bounded nested brackets, and how far back the one to close stands.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// Brackets of `kinds` kinds, never more than `depth` open. Where none is open one opens, where
/// `depth` are open one closes, else one opens with probability `open`, of any kind as likely.
struct DyckLaw {
  int64_t kinds = 2;
  int64_t depth = 8;
  double open = 0.5;
  int64_t steps = 128;
  int64_t window = 16;

  /// The probability that a bracket opens where `at` are open.
  double opens(int64_t at) const { return at == 0 ? 1 : (at == depth ? 0 : open); }
};

/// "stack" (the ceiling), "window W" (right as long as the bracket to close was opened at most W
/// steps ago, else a guess), "newest" (the kind of the newest bracket, open or closed) and "guess".
std::vector<Reference> DyckReferences(int64_t window);

/// P(lag <= window) over steps with an open bracket, the lag being the steps since the innermost of
/// them was opened. By the chain of depths, and for each depth the chain that does not fall below
/// it. O(steps depth + window depth^2), memory O(window depth).
double BracketsWithin(const DyckLaw& law, int64_t window);

/// Accuracies of DyckReferences, in that order; exact.
std::vector<double> DyckAccuracies(const DyckLaw& law);

}  // namespace ssm
