// One sequence of mqar, drawn step by step, and the law of its distances.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// `pairs` keys, each followed by its value, then `steps` - 2 `pairs` steps of which as many ask.
/// Keys are ids 1 to V/2 - 1 and values V/2 to V - 1, V being the `vocabulary`; id 0 is the blank.
/// The query of the pair whose gap is g stands 2 (g - 1) steps after the pairs; gaps are drawn out
/// of 1 to places(), without putting back, with probabilities in proportion to g^(power - 1), for
/// the first pair first.
struct MqarLaw {
  int64_t vocabulary = 256;
  int64_t pairs = 8;
  int64_t steps = 64;
  double power = 0.01;
  bool random_filler = false;  // steps that do not ask show any id, else the blank
  int64_t window = 32;

  int64_t first_value() const { return vocabulary / 2; }
  int64_t keys() const { return first_value() - 1; }
  int64_t values() const { return vocabulary - first_value(); }
  int64_t places() const { return (steps - 2 * pairs) / 2; }
};

/// The target of a query is the value of its key, as a class id from 0; its lag is the steps since
/// the value was shown. References in the order of MqarReferences. O(1) a step but for references,
/// which take O(values); opening takes O(steps log pairs), memory is O(pairs).
std::unique_ptr<SequenceStream> MakeMqarStream(const MqarLaw& law, Random random);

/// "pairs" (the ceiling); "window W" (knows a value as long as its lag is at most W, else guesses);
/// "values left" (knows which values were shown and not asked for yet, and not their keys);
/// "guess".
std::vector<Reference> MqarReferences(int64_t window);

/// P(lag <= window) over queries: the ceiling of a layer that sees `window` steps back and finds
/// key and value merged. See PowerLawDrawAtMost for the method and the cost.
double QueriesWithin(const MqarLaw& law, int64_t window);

/// Accuracies of MqarReferences, in that order; exact. That of the window is NaN where it would
/// take minutes, from some 10^9 = pairs^1.5 places on.
std::vector<double> MqarAccuracies(const MqarLaw& law);

}  // namespace ssm
