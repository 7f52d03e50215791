#include "ssm/tasks/selective_copy.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/streams.h"

namespace ssm {

void SelectiveCopy::VisitFields(FieldVisitor& visitor) {
  visitor.Int("symbols", symbols, {.min = 2, .max = 65536},
              "different symbols, beside the blank and the marker");
  visitor.Int("tokens", tokens, {.min = 1, .max = 1024}, "symbols to be said again");
  visitor.Int("noise", noise, {.min = 0, .max = 1'000'000'000},
              "blanks they are scattered among; a sequence has noise + 2 tokens steps");
}

CopyLaw SelectiveCopy::LawOf(const StreamOptions& options) const {
  RequireTrainedRate("selective_copy", "symbols have", options);
  CopyLaw law{symbols, tokens, noise};
  if (options.steps > 0) law.noise = options.steps - 2 * tokens;
  if (law.noise < 0) {
    Fail(ExitCode::kBadConfig,
         fmt::format("selective_copy: sequences of {} have no room for {} and as many markers; ask "
                     "for at least {} steps",
                     FormatCount(options.steps, "step"), FormatCount(tokens, "symbol"),
                     FormatCount(2 * tokens)));
  }
  return law;
}

TaskSpec SelectiveCopy::Spec() const {
  TaskSpec spec;
  spec.tokens = {{"symbol", symbols + 2}};
  spec.steps = noise + 2 * tokens;
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = symbols;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = CopyReferences();
  spec.strata = CopyStrata(tokens);
  spec.has_lags = true;
  return spec;
}

int64_t SelectiveCopy::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> SelectiveCopy::Open(uint64_t seed, Split split, int64_t index,
                                                    const StreamOptions& options) const {
  return MakeCopyStream(LawOf(options),
                        Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> SelectiveCopy::Known(Split, const StreamOptions& options) const {
  return KnownAccuracies(CopyReferences(), CopyAccuracies(LawOf(options)));
}

std::string SelectiveCopy::Describe() const {
  const std::vector<KnownValue> known = Known(Split::kTest, {});
  const double bits = static_cast<double>(tokens) * std::log2(static_cast<double>(symbols));
  return fmt::format(
      "{} out of {} stand at random places among {}; then as many markers are shown, and at each "
      "the model says the next of the symbols, in the order they were shown. Sequences have {}. A "
      "state that never fails holds {} bits. Who knows which symbols were shown but not in which "
      "order is right with probability {}, who says what stood where the symbol stands most often "
      "with {}, who guesses with {}.",
      FormatCount(tokens, "symbol"), FormatCount(symbols), FormatCount(noise, "blank"),
      FormatCount(noise + 2 * tokens, "step"), FormatDigits(bits, 4),
      FormatDigits(known[1].value, 4), FormatDigits(known[2].value, 4),
      FormatDigits(known[4].value, 4));
}

}  // namespace ssm
