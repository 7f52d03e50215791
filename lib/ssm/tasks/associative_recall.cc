#include "ssm/tasks/associative_recall.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kShortest = 4;  // key, value, marker, key

}  // namespace

void AssociativeRecall::VisitFields(FieldVisitor& visitor) {
  visitor.Int("keys", keys, {.min = 2, .max = 1024}, "different keys");
  visitor.Int("values", values, {.min = 2, .max = 65536}, "different values, ids of their own");
  visitor.Int(
      "steps", steps, {.min = kShortest, .max = 1'000'000'000},
      "length of a sequence: two steps a pair, and two for the marker and the key asked for");
  visitor.Int("window", window, {.min = 1, .max = 1'000'000'000},
              "steps back that the windowed observer sees a value");
}

AssociativeLaw AssociativeRecall::LawOf(const StreamOptions& options) const {
  RequireTrainedRate("associative_recall", "ids have", options);
  const int64_t length = options.steps > 0 ? options.steps : steps;
  if (length < kShortest) {
    Fail(ExitCode::kBadConfig,
         fmt::format("associative_recall: sequences of {} have no room for a pair, the marker and "
                     "the key asked for; ask for at least {} steps",
                     FormatCount(length, "step"), kShortest));
  }
  return {keys, values, length, window};
}

TaskSpec AssociativeRecall::Spec() const {
  TaskSpec spec;
  spec.tokens = {{"id", keys + values + 1}};
  spec.steps = steps;
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = values;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = AssociativeReferences(window);
  spec.has_lags = true;
  return spec;
}

int64_t AssociativeRecall::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> AssociativeRecall::Open(uint64_t seed, Split split, int64_t index,
                                                        const StreamOptions& options) const {
  return MakeAssociativeStream(LawOf(options),
                               Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> AssociativeRecall::Known(Split, const StreamOptions& options) const {
  return KnownAccuracies(AssociativeReferences(window), AssociativeAccuracies(LawOf(options)));
}

std::string AssociativeRecall::Describe() const {
  const AssociativeLaw law = LawOf({});
  const std::vector<double> known = AssociativeAccuracies(law);
  return fmt::format(
      "{} are shown, each a key out of {} and its value out of {}; what belongs together is drawn "
      "anew for each sequence. Then a marker and one of the keys that were shown, and the model "
      "says "
      "its value. Sequences have {}. A state that never fails holds {} bits. Who sees values up to "
      "{} back is right with probability {}, who says the newest value with {}, who guesses with "
      "{}.",
      FormatCount(law.pairs(), "pair"), FormatCount(keys), FormatCount(values),
      FormatCount(steps, "step"),
      FormatDigits(static_cast<double>(keys) * std::log2(static_cast<double>(values)), 4),
      FormatCount(window, "step"), FormatDigits(known[1], 4), FormatDigits(known[2], 4),
      FormatDigits(known[3], 4));
}

}  // namespace ssm
