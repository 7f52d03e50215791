#include "ssm/tasks/copy.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/streams.h"

namespace ssm {

void Copy::VisitFields(FieldVisitor& visitor) {
  visitor.Choice("form", form, {{"tcn", Form::kEvery}, {"s4", Form::kSymbols}},
                 "tcn: every step is scored, most ask for the blank; s4: only symbols are asked "
                 "for");
  visitor.Int("symbols", symbols, {.min = 2, .max = 65536},
              "different symbols, beside the blank and the marker");
  visitor.Int("tokens", tokens, {.min = 1, .max = 1024}, "symbols to be said again");
  visitor.Int("gap", gap, {.min = 0, .max = 1'000'000'000},
              "steps from the last symbol to the first answer, less one; a sequence has "
              "gap + 2 tokens steps");
}

void Copy::Check(Faults& faults) const {
  if (form == Form::kEvery && gap == 0) {
    faults.Add("gap",
               "is 0, but the form \"tcn\" shows one marker before it asks: set it to 1 or more, "
               "or form to \"s4\"");
  }
}

ListCopyLaw Copy::LawOf(const StreamOptions& options) const {
  RequireTrainedRate("copy", "symbols have", options);
  ListCopyLaw law{symbols, tokens, gap, form == Form::kEvery};
  if (options.steps > 0) law.gap = options.steps - 2 * tokens;
  const int64_t least = law.every ? 1 : 0;
  if (law.gap < least) {
    Fail(
        ExitCode::kBadConfig,
        fmt::format("copy: sequences of {} have no room for {} and their answers; ask for at least "
                    "{} steps",
                    FormatCount(options.steps, "step"), FormatCount(tokens, "symbol"),
                    FormatCount(2 * tokens + least)));
  }
  return law;
}

TaskSpec Copy::Spec() const {
  const ListCopyLaw law = LawOf({});
  TaskSpec spec;
  spec.tokens = {{"symbol", symbols + 2}};
  spec.steps = law.steps();
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = law.outputs();
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = ListCopyReferences();
  spec.strata = ListCopyStrata(law);
  spec.has_lags = true;
  return spec;
}

int64_t Copy::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> Copy::Open(uint64_t seed, Split split, int64_t index,
                                           const StreamOptions& options) const {
  return MakeListCopyStream(LawOf(options),
                            Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> Copy::Known(Split, const StreamOptions& options) const {
  const ListCopyLaw law = LawOf(options);
  std::vector<KnownValue> known = KnownAccuracies(ListCopyReferences(), ListCopyAccuracies(law));
  known.push_back(
      {"cross_entropy", known.back().role, known.back().name, MemorylessLoss(law), "closed form"});
  return known;
}

std::string Copy::Describe() const {
  const ListCopyLaw law = LawOf({});
  const std::vector<KnownValue> known = Known(Split::kTest, {});
  std::string text = fmt::format("{}, each one of {}, are shown first, then {}, then {}; ",
                                 FormatCount(tokens, "symbol"), FormatCount(symbols),
                                 FormatCount(law.first_marker() - tokens, "blank"),
                                 FormatCount(law.steps() - law.first_marker(), "marker"));
  text += form == Form::kEvery
              ? fmt::format(
                    "at the last {} the model says the symbols in their order, at every other step "
                    "it says the blank, and all steps are scored.",
                    FormatCount(tokens, "step"))
              : "at each marker the model says the next of the symbols, in the order they were "
                "shown.";
  text += fmt::format(
      " Sequences have {}; each symbol is asked for {} after it was shown. A state that never "
      "fails "
      "holds {} bits. Who knows which symbols were shown but not in which order is right with "
      "probability {}, who knows none with {}, at a cross-entropy of {} nats a step.",
      FormatCount(law.steps(), "step"), FormatCount(law.lag(), "step"),
      FormatDigits(static_cast<double>(tokens) * std::log2(static_cast<double>(symbols)), 4),
      FormatDigits(known[1].value, 4), FormatDigits(known[3].value, 4),
      FormatDigits(known[4].value, 4));
  return text;
}

}  // namespace ssm
