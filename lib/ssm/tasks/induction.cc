#include "ssm/tasks/induction.h"

#include <fmt/format.h>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/induction_stream.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kShortest = 4;  // trigger, answer, one symbol, trigger

}  // namespace

void Induction::VisitFields(FieldVisitor& visitor) {
  visitor.Int("symbols", symbols, {.min = 2, .max = 65536},
              "different symbols, beside the trigger");
  visitor.Int("steps", steps, {.min = kShortest, .max = 1'000'000'000}, "length of a sequence");
  visitor.Int("window", window, {.min = 1, .max = 1'000'000'000},
              "steps that the windowed observer looks back on");
}

int64_t Induction::StepsOf(const StreamOptions& options) const {
  RequireTrainedRate("induction", "symbols have", options);
  const int64_t length = options.steps > 0 ? options.steps : steps;
  if (length < kShortest) {
    Fail(ExitCode::kBadConfig,
         fmt::format("induction: sequences of {} have no room for the trigger, what follows it, "
                     "one more symbol and the trigger again; ask for at least {} steps",
                     FormatCount(length, "step"), kShortest));
  }
  return length;
}

TaskSpec Induction::Spec() const {
  TaskSpec spec;
  spec.tokens = {{"symbol", symbols + 1}};
  spec.steps = steps;
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = symbols;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = InductionReferences(window);
  spec.has_lags = true;
  spec.latents = {{"symbol to remember", 1, symbols + 1}};
  return spec;
}

int64_t Induction::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> Induction::Open(uint64_t seed, Split split, int64_t index,
                                                const StreamOptions& options) const {
  return MakeInductionStream({symbols, StepsOf(options), window},
                             Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> Induction::Known(Split, const StreamOptions& options) const {
  const double guess = 1 / static_cast<double>(symbols);
  const double seen = TriggerInWindow({symbols, StepsOf(options), window});
  const double values[] = {1, seen + (1 - seen) * guess, guess, guess};
  return KnownAccuracies(InductionReferences(window), values);
}

std::string Induction::Describe() const {
  const std::vector<KnownValue> known = Known(Split::kTest, {});
  return fmt::format(
      "Each of {} steps shows one of {} symbols at random; a trigger stands once among them, "
      "anywhere. The last step shows the trigger again, and the model says which symbol followed "
      "it before. Everything was shown, so a perfect memory is always right; who sees only the "
      "newest {} steps is right with probability {}, who guesses with {}.",
      FormatCount(steps), FormatCount(symbols), FormatCount(window),
      FormatDigits(known[1].value, 4), FormatDigits(known[3].value, 4));
}

}  // namespace ssm
