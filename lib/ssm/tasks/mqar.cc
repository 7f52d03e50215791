#include "ssm/tasks/mqar.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kStepsOfPair = 4;  // key, value, query and a step between queries

}  // namespace

void Mqar::VisitFields(FieldVisitor& visitor) {
  visitor.Int("vocabulary", vocabulary, {.min = 4, .max = 131072},
              "different ids: the blank, keys up to the half, values from there on");
  visitor.Int("pairs", pairs, {.min = 1, .max = 1024}, "keys with a value each");
  visitor.Int("steps", steps, {.min = kStepsOfPair, .max = 1'000'000}, "length of a sequence");
  visitor.Real("power", power, {.min = 0, .max = 1, .open_min = true},
               "a of the law of gaps, a g^(a - 1): 1 spreads queries evenly, 0.01 is published");
  visitor.Choice("filler", filler, {{"blank", Filler::kBlank}, {"random", Filler::kRandom}},
                 "what steps between queries show");
  visitor.Int("window", window, {.min = 1, .max = 1'000'000'000},
              "steps back that the windowed observer sees a value");
}

void Mqar::Check(Faults& faults) const {
  if (steps < kStepsOfPair * pairs) {
    faults.Add("steps",
               fmt::format("is {}, but {} take {} steps at least, {} each: make it longer, "
                           "or pairs smaller",
                           steps, FormatCount(pairs, "pair"), kStepsOfPair * pairs, kStepsOfPair));
  }
  if (pairs > MqarLaw{.vocabulary = vocabulary}.keys()) {
    faults.Add("vocabulary", fmt::format("is {}, but {} take {} ids at least, as half of them are "
                                         "values and one is the blank: make it larger, or pairs "
                                         "smaller",
                                         vocabulary, FormatCount(pairs, "pair"), 2 * pairs + 2));
  }
}

MqarLaw Mqar::LawOf(const StreamOptions& options) const {
  RequireTrainedRate("mqar", "ids have", options);
  MqarLaw law{vocabulary, pairs, steps, power, filler == Filler::kRandom, window};
  if (options.steps > 0) law.steps = options.steps;
  if (law.steps < kStepsOfPair * pairs) {
    Fail(
        ExitCode::kBadConfig,
        fmt::format("mqar: sequences of {} have no room for {} and their queries; ask for at least "
                    "{} steps",
                    FormatCount(law.steps, "step"), FormatCount(pairs, "pair"),
                    FormatCount(kStepsOfPair * pairs)));
  }
  return law;
}

TaskSpec Mqar::Spec() const {
  TaskSpec spec;
  spec.tokens = {{"id", vocabulary}};
  spec.steps = steps;
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = LawOf({}).values();
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = MqarReferences(window);
  spec.has_lags = true;
  return spec;
}

int64_t Mqar::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> Mqar::Open(uint64_t seed, Split split, int64_t index,
                                           const StreamOptions& options) const {
  return MakeMqarStream(LawOf(options),
                        Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> Mqar::Known(Split, const StreamOptions& options) const {
  std::vector<KnownValue> known =
      KnownAccuracies(MqarReferences(window), MqarAccuracies(LawOf(options)));
  std::erase_if(known, [](const KnownValue& value) { return std::isnan(value.value); });
  return known;
}

std::string Mqar::Describe() const {
  const MqarLaw law = LawOf({});
  const std::vector<double> known = MqarAccuracies(law);
  std::string text = fmt::format(
      "{} out of {} are shown, each followed by a value out of {}; then each key once more, and "
      "the "
      "model says which value followed it. Sequences have {}; most keys are asked for soon after "
      "the pairs, some late, and the steps between show {}. Who knows which values were not asked "
      "for yet is right with probability {}, who guesses with {}",
      FormatCount(pairs, "key"), FormatCount(law.keys()), FormatCount(law.values()),
      FormatCount(steps, "step"), filler == Filler::kBlank ? "a blank" : "any id",
      FormatDigits(known[2], 4), FormatDigits(known[3], 4));
  if (!std::isnan(known[1])) {
    text += fmt::format(", who sees values up to {} back with {}", FormatCount(window, "step"),
                        FormatDigits(known[1], 4));
  }
  return text + ".";
}

}  // namespace ssm
