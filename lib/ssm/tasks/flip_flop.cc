#include "ssm/tasks/flip_flop.h"

#include <fmt/format.h>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kShortest = 3;  // write, a symbol, read

}  // namespace

void FlipFlop::VisitFields(FieldVisitor& visitor) {
  visitor.Int("symbols", symbols, {.min = 2, .max = 65536},
              "different symbols, beside write, read and ignore");
  visitor.Real("ignore", ignore, Fraction(), "probability of an instruction to ignore");
  visitor.Real("write", write, Fraction(), "probability of one to write; the others read");
  visitor.Int("steps", steps, {.min = kShortest, .max = 1'000'000'000},
              "length of a sequence: an instruction and a symbol in turn");
  visitor.Int("window", window, {.min = 1, .max = 1'000'000'000},
              "steps back that the windowed observer sees a symbol");
}

void FlipFlop::Check(Faults& faults) const {
  if (ignore + write > 1) {
    faults.Add("write", fmt::format("is {}, but with ignore = {} at most {:g} is left: make one of "
                                    "them smaller",
                                    FormatNumber(write), FormatNumber(ignore), 1 - ignore));
  }
}

FlipFlopLaw FlipFlop::LawOf(const StreamOptions& options) const {
  RequireTrainedRate("flip_flop", "symbols have", options);
  const int64_t length = options.steps > 0 ? options.steps : steps;
  if (length < kShortest) {
    Fail(ExitCode::kBadConfig,
         fmt::format("flip_flop: sequences of {} have no room for a write, its symbol and a read; "
                     "ask for at least {} steps",
                     FormatCount(length, "step"), kShortest));
  }
  return {symbols, ignore, write, length, window};
}

TaskSpec FlipFlop::Spec() const {
  TaskSpec spec;
  spec.tokens = {{"symbol", symbols + 3}};
  spec.steps = steps;
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = symbols;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = FlipFlopReferences(window);
  spec.has_lags = true;
  spec.latents = {{"symbol stored", 1, symbols + 1}};
  return spec;
}

int64_t FlipFlop::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> FlipFlop::Open(uint64_t seed, Split split, int64_t index,
                                               const StreamOptions& options) const {
  return MakeFlipFlopStream(LawOf(options),
                            Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> FlipFlop::Known(Split, const StreamOptions& options) const {
  return KnownAccuracies(FlipFlopReferences(window), FlipFlopAccuracies(LawOf(options)));
}

std::string FlipFlop::Describe() const {
  const FlipFlopLaw law = LawOf({});
  const std::vector<double> known = FlipFlopAccuracies(law);
  return fmt::format(
      "Instructions to write, read or ignore come with probabilities {}, {} and {}, each followed "
      "by "
      "one of {}; at a read the model says the one that was written last, which then is shown. "
      "Sequences have {}. One symbol is enough of a state. Who sees symbols up to {} back is right "
      "with probability {}, who says the newest symbol with {}, who guesses with {}.",
      FormatDigits(write, 3), FormatDigits(law.read(), 3), FormatDigits(ignore, 3),
      FormatCount(symbols, "symbol"), FormatCount(steps, "step"), FormatCount(window, "step"),
      FormatDigits(known[1], 4), FormatDigits(known[2], 4), FormatDigits(known[3], 4));
}

}  // namespace ssm
