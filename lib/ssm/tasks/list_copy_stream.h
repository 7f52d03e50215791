// One sequence of copy, drawn step by step.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// `tokens` symbols, blanks, then markers until symbol j has been asked for `gap` + `tokens` steps
/// after it was shown. Symbols are ids 0 to `symbols` - 1, the blank is `symbols`, the marker one
/// more.
struct ListCopyLaw {
  int64_t symbols = 8;
  int64_t tokens = 10;
  int64_t gap = 100;
  bool every =
      true;  // steps without an answer ask for the blank, and one marker more stands before

  int64_t lag() const { return gap + tokens; }  // of every answer; also the step of the first
  int64_t steps() const { return gap + 2 * tokens; }
  int64_t first_marker() const { return every ? lag() - 1 : lag(); }
  int64_t outputs() const { return every ? symbols + 2 : symbols; }  // all ids, or the symbols
};

/// Strata as ListCopyStrata, references in the order of ListCopyReferences. O(1) a step, memory
/// O(tokens + symbols).
std::unique_ptr<SequenceStream> MakeListCopyStream(const ListCopyLaw& law, Random random);

/// "list" (the ceiling); "unordered" (knows how often each symbol was shown, not when: says the
/// most frequent); "newest" (the last symbol shown); "memory-less" (knows when a symbol is asked
/// for, and none of them).
std::vector<Reference> ListCopyReferences();

/// Accuracies of ListCopyReferences over all scored steps, in that order; exact.
std::vector<double> ListCopyAccuracies(const ListCopyLaw& law);

/// Cross-entropy of "memory-less" in nats over all scored steps: tokens ln(symbols) / steps() with
/// `every` (10 ln 8 / (T + 20) as published), else ln(symbols).
double MemorylessLoss(const ListCopyLaw& law);

/// The axis "token": first, middle, last, and with `every` before them none.
std::vector<StratumAxis> ListCopyStrata(const ListCopyLaw& law);

}  // namespace ssm
