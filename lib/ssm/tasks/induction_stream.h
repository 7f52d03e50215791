// One sequence of induction, drawn step by step.
#pragma once

#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Sequences of one length, at least 4 steps. Symbols are ids 0 to `symbols` - 1, the trigger is
/// `symbols`.
struct InductionLaw {
  int64_t symbols = 16;
  int64_t steps = 256;
  int64_t window = 32;
};

/// References in the order of InductionReferences; the one latent is the symbol to remember, and
/// `symbols` before it was shown. O(1) a step, constant memory.
std::unique_ptr<SequenceStream> MakeInductionStream(const InductionLaw& law, Random random);

/// "induction" (the ceiling), "window W" (right where the first trigger lies in the newest W steps,
/// else a guess), "newest" (the symbol before the last step) and "guess".
std::vector<Reference> InductionReferences(int64_t window);

/// How likely the first trigger lies in the newest `window` steps: of the L - 3 steps it may stand
/// on, the last W - 3 do.
double TriggerInWindow(const InductionLaw& law);

}  // namespace ssm
