#include "ssm/tasks/dyck.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/text.h"
#include "ssm/tasks/streams.h"

namespace ssm {

void Dyck::VisitFields(FieldVisitor& visitor) {
  visitor.Int("kinds", kinds, {.min = 2, .max = 65536}, "kinds of brackets");
  visitor.Int("depth", depth, {.min = 1, .max = 64}, "most brackets open at a time");
  visitor.Real("open", open, {.min = 0, .max = 1, .open_min = true, .open_max = true},
               "probability that a bracket opens where both may come");
  visitor.Int("steps", steps, {.min = 1, .max = 10'000'000}, "length of a sequence");
  visitor.Int("window", window, {.min = 1, .max = 10'000},
              "steps back that the windowed observer sees an opening bracket");
}

DyckLaw Dyck::LawOf(const StreamOptions& options) const {
  RequireTrainedRate("dyck", "brackets have", options);
  return {kinds, depth, open, options.steps > 0 ? options.steps : steps, window};
}

TaskSpec Dyck::Spec() const {
  TaskSpec spec;
  spec.tokens = {{"bracket", 2 * kinds}};
  spec.steps = steps;
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = kinds;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = DyckReferences(window);
  spec.strata = DyckStrata(depth);
  spec.has_lags = true;
  spec.latents = {{"brackets open", 1, depth + 1}, {"innermost", 1, kinds + 1}};
  return spec;
}

int64_t Dyck::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> Dyck::Open(uint64_t seed, Split split, int64_t index,
                                           const StreamOptions& options) const {
  return MakeDyckStream(LawOf(options),
                        Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> Dyck::Known(Split, const StreamOptions& options) const {
  return KnownAccuracies(DyckReferences(window), DyckAccuracies(LawOf(options)));
}

std::string Dyck::Describe() const {
  const std::vector<double> known = DyckAccuracies(LawOf({}));
  return fmt::format(
      "Brackets of {} open and close, nested up to {} deep; after each that leaves one open the "
      "model "
      "says which closing bracket would fit. Sequences have {}. A state that never fails holds {} "
      "bits and the depth. Who sees opening brackets up to {} back is right with probability {}, "
      "who "
      "says the kind of the newest bracket with {}, who guesses with {}.",
      FormatCount(kinds, "kind"), FormatCount(depth), FormatCount(steps, "step"),
      FormatDigits(static_cast<double>(depth) * std::log2(static_cast<double>(kinds)), 4),
      FormatCount(window, "step"), FormatDigits(known[1], 4), FormatDigits(known[2], 4),
      FormatDigits(known[3], 4));
}

}  // namespace ssm
