#include "ssm/tasks/delayed_recall.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/streams.h"

namespace ssm {

void DelayedRecall::VisitFields(FieldVisitor& visitor) {
  visitor.Choice("signal", signal,
                 {{"symbols", DelaySignal::kSymbols},
                  {"noise", DelaySignal::kNoise},
                  {"smooth", DelaySignal::kSmooth}},
                 "what is shown: symbols, standard normal noise, or a band-limited signal");
  visitor.Int("symbols", symbols, {.min = 2, .max = 65536}, "different symbols");
  visitor.Real("bandwidth", bandwidth, {.min = 0, .max = 0.5, .open_min = true},
               "highest frequency of a smooth signal, in cycles a step");
  visitor.Int("delay", delay, {.min = 0, .max = 10'000'000}, "steps back that are asked for");
  visitor.Int("steps", steps, {.min = 0, .max = 1'000'000'000},
              "length of a sequence; 0: max(128, 4 delay)");
}

void DelayedRecall::Check(Faults& faults) const {
  if (steps > 0 && steps <= delay) {
    faults.Add("steps", fmt::format("is {}, but nothing is asked in the first {} steps (delay): "
                                    "ask for more than {} steps",
                                    steps, delay, delay));
  }
}

DelayLaw DelayedRecall::LawOf(const StreamOptions& options) const {
  const double k = options.dt_scale;
  if (signal != DelaySignal::kSmooth) {
    RequireTrainedRate("delayed_recall", "symbols and noise have", options);
  }
  DelayLaw law{signal, symbols, bandwidth * k, 0, options.steps > 0 ? options.steps : Steps()};
  law.delay = std::llround(static_cast<double>(delay) / k);
  if (std::fabs(static_cast<double>(law.delay) * k - static_cast<double>(delay)) > 1e-9 * k) {
    Fail(ExitCode::kBadConfig,
         fmt::format("delayed_recall: a delay of {} trained steps is no whole number of steps at "
                     "dt_scale {}; choose a dt_scale that divides it",
                     delay, FormatNumber(k)));
  }
  if (law.bandwidth > 0.5) {
    Fail(ExitCode::kBadConfig,
         fmt::format("delayed_recall: at dt_scale {} a bandwidth of {} cycles a trained step is "
                     "more than half a cycle a sample; choose a dt_scale of at most {}",
                     FormatNumber(k), FormatNumber(bandwidth), FormatNumber(0.5 / bandwidth)));
  }
  if (law.steps <= law.delay) {
    Fail(ExitCode::kBadConfig,
         fmt::format("delayed_recall: sequences of {} steps end before anything is asked, after {} "
                     "steps; ask for longer ones",
                     law.steps, law.delay));
  }
  return law;
}

TaskSpec DelayedRecall::Spec() const {
  TaskSpec spec;
  spec.steps = Steps();
  if (signal == DelaySignal::kSymbols) {
    spec.tokens = {{"symbol", symbols}};
    spec.objective = Objective::kSoftmaxCrossEntropy;
    spec.outputs = symbols;
    spec.metric = "accuracy";
    spec.higher_is_better = true;
  } else {
    spec.reals = {"sample"};
    spec.objective = Objective::kSquaredError;
    spec.metric = "nmse";
  }
  spec.references = DelayReferences(signal);
  spec.has_lags = true;
  return spec;
}

int64_t DelayedRecall::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> DelayedRecall::Open(uint64_t seed, Split split, int64_t index,
                                                    const StreamOptions& options) const {
  return MakeDelayStream(LawOf(options),
                         Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> DelayedRecall::Known(Split, const StreamOptions& options) const {
  const DelayLaw law = LawOf(options);
  const bool classes = signal == DelaySignal::kSymbols;
  const double rho = SignalCorrelation(law, law.delay);
  const double guess = 1 / static_cast<double>(symbols);
  const std::vector<double> values = classes
                                         ? std::vector<double>{1, law.delay == 0 ? 1 : guess, guess}
                                         : std::vector<double>{0, 1 - rho * rho, 1};
  const std::vector<Reference> references = DelayReferences(signal);
  std::vector<KnownValue> known;
  for (size_t i = 0; i < references.size(); ++i) {
    known.push_back({classes ? "accuracy" : "nmse", references[i].role, references[i].name,
                     values[i], i == 0 ? "exact: all that is asked was shown" : "closed form"});
  }
  return known;
}

std::string DelayedRecall::Describe() const {
  std::string text = fmt::format("Each of {} steps shows ", FormatCount(Steps()));
  switch (signal) {
    case DelaySignal::kSymbols:
      text += fmt::format("one of {} symbols", FormatCount(symbols));
      break;
    case DelaySignal::kNoise:
      text += "a standard normal number";
      break;
    case DelaySignal::kSmooth:
      text += fmt::format(
          "a smooth signal of variance 1, made of frequencies up to {} cycles a "
          "step",
          FormatNumber(bandwidth));
      break;
  }
  text += fmt::format("; from step {} on the model says what was shown {} steps before.",
                      FormatCount(delay + 1), FormatCount(delay));
  const std::vector<KnownValue> known = Known(Split::kTest, {});
  if (signal == DelaySignal::kSymbols) {
    const double bits = static_cast<double>(delay) * std::log2(static_cast<double>(symbols));
    text += fmt::format(
        " A state that never fails holds {} bits; guessing is right with "
        "probability {}.",
        FormatDigits(bits, 4), FormatDigits(known[2].value, 4));
  } else {
    text += fmt::format(
        " The error is in units of the variance: saying 0 has 1, the best use of "
        "the newest sample {}, a delay line 0.",
        FormatDigits(known[1].value, 4));
  }
  return text;
}

}  // namespace ssm
