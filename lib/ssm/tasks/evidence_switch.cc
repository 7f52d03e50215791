#include "ssm/tasks/evidence_switch.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/tasks/streams.h"
#include "ssm/tasks/switch_scorer.h"
#include "ssm/tasks/switch_stream.h"

namespace ssm {
namespace {

constexpr double kBurn = 3;    // steps that are not scored, in units of 1 / hazard
constexpr double kLength = 8;  // of a sequence

}  // namespace

void EvidenceSwitch::VisitFields(FieldVisitor& visitor) {
  visitor.Real("hazard", hazard, {.min = 1e-6, .max = 0.4},
               "probability that the side changes from one step to the next");
  visitor.Real("drift", drift, {.min = 1e-6, .max = 1e6}, "size of the mean of a sample");
  visitor.Real("sigma", sigma, {.min = 1e-6, .max = 1e6}, "standard deviation of a sample");
  visitor.Real("miss", miss, {.min = 0, .max = 0.999}, "probability that a sample is not shown");
  visitor.Bool("irregular", irregular, "times between samples are exponential, not all alike");
  visitor.Int("steps", steps, {.min = 0, .max = 1'000'000'000},
              "length of a sequence; 0: 8 / hazard");
}

void EvidenceSwitch::Check(Faults& faults) const {
  const int64_t burn = Sampled(1).burn;
  if (steps > 0 && steps <= burn) {
    faults.Add("steps", fmt::format("is {}, but scoring starts after 3 / hazard = {}: ask for more "
                                    "steps than that",
                                    steps, FormatCount(burn, "step")));
  }
}

int64_t EvidenceSwitch::Steps() const {
  return steps > 0 ? steps : static_cast<int64_t>(std::ceil(kLength / hazard));
}

SwitchLaw EvidenceSwitch::Sampled(double dt_scale) const {
  SSM_CHECK(dt_scale > 0, "dt_scale must be positive");
  SwitchLaw law;
  law.hazard = hazard;
  law.gap = dt_scale;
  law.irregular = irregular;
  law.drift = drift;
  law.sigma = sigma / std::sqrt(dt_scale);
  law.miss = miss;
  law.burn = static_cast<int64_t>(std::ceil(kBurn / hazard / dt_scale));
  return law;
}

std::vector<double> EvidenceSwitch::LeakTaus() const {
  const double best = BestLinearTau(Sampled(1));
  std::vector<double> taus;
  for (const double part : {1.0 / 3, 1.0, 3.0}) {
    // Three digits are enough for a name.
    taus.push_back(ParseNumber(FormatDigits(best * part, 3)).value());
  }
  return taus;
}

SwitchLaw EvidenceSwitch::LawOf(const StreamOptions& options) const {
  SwitchLaw law = Sampled(options.dt_scale);
  law.steps = options.steps > 0 ? options.steps : Steps();
  if (law.steps <= law.burn) {
    Fail(ExitCode::kBadConfig,
         fmt::format("evidence.switch: sequences of {} end before scoring starts, after {}; ask "
                     "for longer ones",
                     FormatCount(law.steps, "step"), FormatCount(law.burn, "step")));
  }
  for (const double tau : LeakTaus()) law.leak_taus.push_back(tau / options.dt_scale);
  return law;
}

TaskSpec EvidenceSwitch::Spec() const {
  TaskSpec spec;
  spec.reals = {"sample"};
  if (miss > 0) spec.reals.push_back("seen");
  spec.has_dt = irregular;
  spec.steps = Steps();
  spec.objective = Objective::kBinaryCrossEntropy;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = SwitchReferences(LeakTaus());
  spec.has_lags = true;
  spec.latents = {{"log-odds", 1, 0}, {"side", 1, 2}};
  return spec;
}

int64_t EvidenceSwitch::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> EvidenceSwitch::Open(uint64_t seed, Split split, int64_t index,
                                                     const StreamOptions& options) const {
  return MakeSwitchStream(LawOf(options),
                          Random(seed, StreamOf(split), static_cast<uint64_t>(index)),
                          options.detail != Detail::kTraining);
}

std::vector<KnownValue> EvidenceSwitch::Known(Split, const StreamOptions& options) const {
  return SwitchKnown(LawOf(options), LeakTaus());
}

std::unique_ptr<Scorer> EvidenceSwitch::MakeScorer(Split) const {
  return std::make_unique<SwitchScorer>(Spec());
}

std::string EvidenceSwitch::Describe() const {
  std::string text = fmt::format(
      "Samples of standard deviation {} come from one of two sides, of mean {} or -{}; the side "
      "changes with probability {} a step, and at each of {} steps the model says which it is. "
      "The first {} are not scored.",
      FormatNumber(sigma), FormatNumber(drift), FormatNumber(drift), FormatNumber(hazard),
      FormatCount(Steps()), FormatCount(LawOf({}).burn));
  if (miss > 0) {
    text += fmt::format(
        " A sample is missing with probability {}; a second channel says which are shown.",
        FormatNumber(miss));
  }
  if (irregular) text += " Times between samples are exponential, with a mean of one step.";
  text +=
      " Beside the model: the exact filter (ceiling), the newest sample alone, leaky integrators "
      "around the best linear one, and chance.";
  for (const KnownValue& k : Known(Split::kTest, {})) {
    if (k.role == Role::kChance) continue;
    text += fmt::format(" {}: {} % right.", k.name, FormatDigits(100 * k.value, 4));
  }
  return text +
         " The best leak is nearly as often right; \"kl\" says how many nats a step an answer "
         "lacks of the exact posterior, and \"latency\" how many steps after a switch it takes.";
}

}  // namespace ssm
