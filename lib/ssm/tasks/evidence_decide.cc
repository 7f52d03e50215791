#include "ssm/tasks/evidence_decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/text.h"
#include "ssm/tasks/decide_scorer.h"
#include "ssm/tasks/decide_stream.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

std::string DriftLabel(double drift) { return FormatNumber(drift); }

}  // namespace

void EvidenceDecide::VisitFields(FieldVisitor& visitor) {
  visitor.Int("steps", steps, {.min = 1, .max = 100'000'000}, "stimulus steps of a trial");
  const bool had_drift = !drift.empty();
  visitor.RealList("drift", drift, {.min = 1e-9, .max = 1e9},
                   "sizes of the mean of a sample, equally likely; in place of dprime");
  // A drift list replaces the default d'. One that is written down beside it is still read, and
  // then refused by Check.
  if (!had_drift && !drift.empty()) dprime = 0;
  visitor.Real("dprime", dprime, {.min = 0, .max = 30},
               "d' of a whole trial: the best accuracy is Phi(dprime); 0: drift is given");
  visitor.Real("sigma", sigma, {.min = 1e-6, .max = 1e6}, "standard deviation of a sample");
  visitor.Int("delay", delay, {.min = 0, .max = 100'000'000},
              "steps between the last sample and the go cue");
  visitor.Real("distractor_sigma", distractor_sigma, {.min = 0, .max = 1e6},
               "standard deviation of the noise shown during the delay");
  visitor.Real("miss", miss, {.min = 0, .max = 0.999}, "probability that a sample is not shown");
}

void EvidenceDecide::Check(Faults& faults) const {
  if (dprime > 0 && !drift.empty()) {
    faults.Add("drift", fmt::format("dprime is {} and drift lists {} sizes, but each of them sets "
                                    "the mean of a sample: give one of the two",
                                    FormatNumber(dprime), drift.size()));
  }
  if (dprime == 0 && drift.empty()) {
    faults.Add("dprime",
               "is 0 and drift is empty, so samples would say nothing: give one of the two");
  }
  for (size_t i = 1; i < drift.size(); ++i) {
    if (std::find(drift.begin(), drift.begin() + static_cast<std::ptrdiff_t>(i), drift[i]) !=
        drift.begin() + static_cast<std::ptrdiff_t>(i)) {
      faults.Add("drift",
                 fmt::format("lists {} twice: name every size once", FormatNumber(drift[i])));
    }
  }
  if (distractor_sigma > 0 && delay == 0) {
    faults.Add("distractor_sigma", "is above 0 but there is no delay to show noise in: set delay");
  }
}

std::vector<double> EvidenceDecide::LeakTaus() const {
  std::vector<double> taus;
  for (const double part : {64.0, 16.0, 4.0}) {
    const double tau = std::max(1.0, std::round(static_cast<double>(steps) / part));
    if (taus.empty() || taus.back() != tau) taus.push_back(tau);
  }
  return taus;
}

TaskSpec EvidenceDecide::Spec() const {
  TaskSpec spec;
  spec.reals = {"sample"};
  if (miss > 0) spec.reals.push_back("seen");
  spec.reals.push_back("go");
  spec.steps = steps + delay;
  spec.objective = Objective::kBinaryCrossEntropy;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = DecideReferences(LeakTaus());
  if (drift.size() > 1) {
    StratumAxis axis{"drift", {}};
    for (const double m : drift) axis.labels.push_back(DriftLabel(m));
    spec.strata.push_back(std::move(axis));
  }
  spec.has_lags = delay > 0;
  spec.latents = {{"log-odds", 1, 0}, {"side", 1, 2}};
  return spec;
}

DecideLaw EvidenceDecide::LawOf(Split split, const StreamOptions& options) const {
  SSM_CHECK(options.dt_scale > 0, "dt_scale must be positive");
  DecideLaw law;
  law.delay = static_cast<int64_t>(std::llround(static_cast<double>(delay) / options.dt_scale));
  const double waited = static_cast<double>(law.delay) * options.dt_scale;
  if (std::fabs(waited - static_cast<double>(delay)) > 1e-9 * options.dt_scale) {
    Fail(ExitCode::kBadConfig,
         fmt::format("evidence.decide: a delay of {} trained steps is no whole number of steps at "
                     "dt_scale {}; choose another",
                     delay, FormatNumber(options.dt_scale)));
  }
  const int64_t whole = options.steps > 0 ? options.steps : steps + delay;
  law.stimulus = whole - law.delay;
  if (law.stimulus < 1) {
    Fail(ExitCode::kBadConfig,
         fmt::format("evidence.decide: a trial of {} steps has no room for a stimulus before its "
                     "delay of {} steps; ask for longer trials or shorten task.delay",
                     whole, law.delay));
  }
  law.dprime = dprime;
  law.drift = drift;
  law.sigma = sigma / std::sqrt(options.dt_scale);
  law.distractor_sigma = distractor_sigma / std::sqrt(options.dt_scale);
  law.miss = miss;
  law.zero_drift = split == Split::kProbe;
  for (const double tau : LeakTaus()) law.leak_taus.push_back(tau / options.dt_scale);
  return law;
}

std::unique_ptr<SequenceStream> EvidenceDecide::Open(uint64_t seed, Split split, int64_t index,
                                                     const StreamOptions& options) const {
  return MakeDecideStream(LawOf(split, options),
                          Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> EvidenceDecide::Known(Split split, const StreamOptions& options) const {
  return DecideKnown(LawOf(split, options), LeakTaus());
}

std::unique_ptr<Scorer> EvidenceDecide::MakeScorer(Split split) const {
  if (split == Split::kProbe) return std::make_unique<KernelScorer>(Spec(), sigma, miss > 0);
  return std::make_unique<CalibrationScorer>(Spec());
}

std::string EvidenceDecide::Describe() const {
  const std::vector<KnownValue> known = Known(Split::kTest, {});
  std::string text = fmt::format(
      "Each trial shows {} noisy samples of standard deviation {} whose mean is above or below 0, "
      "equally often; at the go cue, on the last step, the model says which.",
      FormatCount(steps), FormatNumber(sigma));
  if (dprime > 0) {
    text += fmt::format(
        " The mean is {} / sqrt(samples shown), so that the best observer is right in {} % of "
        "trials at any length.",
        FormatNumber(dprime * sigma), FormatDigits(100 * known[0].value, 4));
  } else {
    std::vector<std::string> sizes;
    for (const double m : drift) sizes.push_back(FormatNumber(m));
    text +=
        fmt::format(" The size of the mean is {}{}; the best observer is right in {} % of trials.",
                    drift.size() > 1 ? "one of " : "", Join(sizes, ", "),
                    FormatDigits(100 * known[0].value, 4));
  }
  if (miss > 0) {
    text += fmt::format(
        " A sample is missing with probability {}; a second channel says which are "
        "shown.",
        FormatNumber(miss));
  }
  if (delay > 0) {
    text += fmt::format(" {} steps {} pass before the answer.", FormatCount(delay),
                        distractor_sigma > 0
                            ? "of noise of standard deviation " + FormatNumber(distractor_sigma)
                            : "of silence");
  }
  text += fmt::format(
      " Beside the model: the exact log-odds (ceiling), the last sample alone ({} % right), the "
      "majority of signs, leaky integrators, and chance (50 %). The probe split has no drift at "
      "all: "
      "what then decides tells how evenly the samples are weighed.",
      FormatDigits(100 * known[1].value, 4));
  return text;
}

}  // namespace ssm
