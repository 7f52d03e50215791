// One sequence of selective_copy, drawn step by step.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// `noise` blanks with `tokens` symbols scattered among them, then as many markers. Symbols are ids
/// 0 to `symbols` - 1, the blank is `symbols`, the marker one more.
struct CopyLaw {
  int64_t symbols = 16;
  int64_t tokens = 4;
  int64_t noise = 32;

  int64_t shown() const { return noise + tokens; }  // steps before the first marker
  int64_t steps() const { return noise + 2 * tokens; }
};

/// Marker j asks for the j-th symbol shown, its lag the steps since. Strata as CopyStrata,
/// references in the order of CopyReferences. O(1) a step, memory O(tokens + symbols).
std::unique_ptr<SequenceStream> MakeCopyStream(const CopyLaw& law, Random random);

/// "list" (the ceiling); "unordered" (knows how often each symbol was shown, not when: says the
/// most frequent); "likeliest place" (says what stood where the j-th symbol stands most often);
/// "newest" (the last symbol shown); "guess".
std::vector<Reference> CopyReferences();

/// Accuracies of CopyReferences, in that order; exact. See ExpectedLargestCount for the cost.
std::vector<double> CopyAccuracies(const CopyLaw& law);

/// The axis "token": first, middle, last; none where a single one is shown.
std::vector<StratumAxis> CopyStrata(int64_t tokens);
/// The label of symbol `j` on that axis; of two symbols there is no middle.
int64_t CopyStratum(int64_t tokens, int64_t j);

/// The step on which symbol `j` stands most often: the mode of an order statistic of `tokens`
/// places drawn out of shown() without putting back. O(1).
int64_t LikeliestStep(const CopyLaw& law, int64_t j);
/// How often symbol `j` stands on `step`: C(step, j) C(n - 1 - step, M - 1 - j) / C(n, M).
double PlaceProbability(const CopyLaw& law, int64_t j, int64_t step);

}  // namespace ssm
