#include "ssm/tasks/passkey.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/exact_match_scorer.h"
#include "ssm/tasks/streams.h"

namespace ssm {

void Passkey::VisitFields(FieldVisitor& visitor) {
  visitor.Int("digits", digits, {.min = 1, .max = 100}, "digits of the key");
  visitor.Int("fillers", fillers, {.min = 1, .max = 65536}, "symbols that filler is drawn from");
  visitor.Int("steps", steps, {.min = 3, .max = 1'000'000'000}, "length of a sequence");
  visitor.Int("window", window, {.min = 1, .max = 1'000'000'000},
              "steps that the windowed observer looks back on");
}

void Passkey::Check(Faults& faults) const {
  const int64_t shortest = 2 * digits + 1;
  if (steps < shortest) {
    faults.Add("steps", fmt::format("is {}, but a mark, {} and as many questions take {}: ask for "
                                    "{} or more",
                                    steps, FormatCount(digits, "digit"), shortest, shortest));
  }
}

PasskeyLaw Passkey::LawOf(const StreamOptions& options) const {
  RequireTrainedRate("passkey", "symbols have", options);
  const PasskeyLaw law{digits, fillers, options.steps > 0 ? options.steps : steps, window};
  if (law.places() < 1) {
    Fail(ExitCode::kBadConfig,
         fmt::format("passkey: sequences of {} have no room for a key of {}; ask for at least {}",
                     FormatCount(law.steps, "step"), FormatCount(digits, "digit"),
                     FormatCount(2 * digits + 1, "step")));
  }
  return law;
}

TaskSpec Passkey::Spec() const {
  TaskSpec spec;
  spec.tokens = {{"symbol", 10 + fillers + 2}};
  spec.steps = steps;
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = 10;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = PasskeyReferences(window);
  spec.strata = PasskeyStrata();
  spec.has_lags = true;
  spec.latents = {{"key", digits, 11, true}};
  return spec;
}

int64_t Passkey::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> Passkey::Open(uint64_t seed, Split split, int64_t index,
                                              const StreamOptions& options) const {
  return MakePasskeyStream(LawOf(options),
                           Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> Passkey::Known(Split, const StreamOptions& options) const {
  const double within = PasskeyWithin(LawOf(options));
  const std::vector<Reference> references = PasskeyReferences(window);
  const auto of_guess = [&](double guess) {
    return std::vector<double>{1, within + (1 - within) * guess, guess};
  };
  std::vector<KnownValue> known = KnownAccuracies(references, of_guess(0.1));
  const double whole = std::pow(0.1, static_cast<double>(digits));
  for (KnownValue value : KnownAccuracies(references, of_guess(whole))) {
    value.metric = "exact_match";
    known.push_back(std::move(value));
  }
  return known;
}

std::unique_ptr<Scorer> Passkey::MakeScorer(Split) const {
  return std::make_unique<ExactMatchScorer>(Spec());
}

std::string Passkey::Describe() const {
  const std::vector<KnownValue> known = Known(Split::kTest, {});
  return fmt::format(
      "Somewhere in {} of filler stand a mark and a key of {}; at the end the model says the key, "
      "a "
      "digit a step. Who sees the newest {} has {} of digits and {} of whole keys right, who "
      "guesses 0.1 and 1e-{}.",
      FormatCount(steps, "step"), FormatCount(digits, "digit"), FormatCount(window, "step"),
      FormatDigits(known[1].value, 4), FormatDigits(known[4].value, 4), digits);
}

}  // namespace ssm
