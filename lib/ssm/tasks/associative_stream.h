// One sequence of associative_recall, drawn step by step.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// pairs() times a key, drawn with putting back, and the value it has all through the sequence;
/// then the marker and a key that was shown. Keys are ids 0 to `keys` - 1, values the next `values`
/// ids, the marker the last one; it also fills the first step of an odd number of them.
struct AssociativeLaw {
  int64_t keys = 16, values = 16;
  int64_t steps = 64;  // 4 at least
  int64_t window = 32;

  int64_t pairs() const { return (steps - 2) / 2; }
};

/// The last step asks for the value of its key, as a class id from 0, and is the only one scored;
/// its lag is the steps since that value was shown last. Of the keys that were shown each is as
/// likely to be asked for. References in the order of AssociativeReferences. O(1) a step, memory
/// O(keys).
std::unique_ptr<SequenceStream> MakeAssociativeStream(const AssociativeLaw& law, Random random);

/// "pairs" (the ceiling), "window W" (knows the value as long as its lag is at most W, else
/// guesses), "newest" (the newest value) and "guess".
std::vector<Reference> AssociativeReferences(int64_t window);

/// The probability that the key asked for is among the newest `newest` pairs: E[D_m / D_P], D_n
/// being how many different keys n pairs hold. By the Markov chain of D, O(pairs keys), but where
/// all keys are shown as good as surely (within 1e-12): E[D_m] / keys.
double AskedAmongNewest(const AssociativeLaw& law, int64_t newest);

/// Accuracies of AssociativeReferences, in that order.
std::vector<double> AssociativeAccuracies(const AssociativeLaw& law);

}  // namespace ssm
