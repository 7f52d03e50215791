#include "ssm/tasks/evidence_track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/text.h"
#include "ssm/tasks/ou_smoother_error.h"
#include "ssm/tasks/streams.h"

namespace ssm {

void EvidenceTrack::VisitFields(FieldVisitor& visitor) {
  visitor.Real("tau", tau, {.min = 0.1, .max = 1e7}, "time constant of the process, in steps");
  visitor.Real("noise", noise, {.min = 1e-6, .max = 1e6},
               "standard deviation of the noise on a sample; that of the process is 1");
  visitor.Choice("target", target, {{"filter", Target::kFilter}, {"recall", Target::kRecall}},
                 "what is asked: the process now, or lag steps ago");
  visitor.Int("lag", lag, {.min = 0, .max = 10'000'000},
              "steps back that recall asks for; 0 with filter");
  visitor.Real("miss", miss, {.min = 0, .max = 0.999}, "probability that a sample is not shown");
  visitor.Int("steps", steps, {.min = 0, .max = 1'000'000'000},
              "length of a sequence; 0: max(512, 5 tau) + lag");
  visitor.IntList("windows", windows, {.min = 1, .max = 10'000'000},
                  {"numbers of newest steps; the description says what a model that sees no more "
                   "cannot get below",
                   FieldRole::kCadence});
}

void EvidenceTrack::Check(Faults& faults) const {
  if (target == Target::kRecall && lag == 0) {
    faults.Add("lag",
               "is 0, but recall asks for the past: set lag to 1 or more, or target to "
               "\"filter\"");
  }
  if (target == Target::kFilter && lag > 0) {
    faults.Add("lag",
               fmt::format("is {}, but filter asks for the present: set target to \"recall\", "
                           "or lag to 0",
                           lag));
  }
  const double silent = std::max(std::floor(tau), static_cast<double>(lag));
  if (steps > 0 && static_cast<double>(steps) <= silent) {
    faults.Add("steps", fmt::format("is {}, but scoring starts after tau = {} steps and lag = {}: "
                                    "ask for more than {} steps",
                                    steps, FormatNumber(tau), lag, FormatNumber(silent)));
  }
}

int64_t EvidenceTrack::Steps() const {
  if (steps > 0) return steps;
  return std::max<int64_t>(512, static_cast<int64_t>(std::ceil(5 * tau))) + lag;
}

std::vector<double> EvidenceTrack::LeakTaus() const {
  std::vector<double> taus;
  for (const double part : {1.0 / 3, 1.0, 3.0}) {
    // Three digits are enough for a name.
    taus.push_back(ParseNumber(FormatDigits(tau * part, 3)).value());
  }
  return taus;
}

TrackLaw EvidenceTrack::LawOf(const StreamOptions& options) const {
  const double k = options.dt_scale;
  SSM_CHECK(k > 0, "dt_scale must be positive");
  TrackLaw law;
  law.ou = {std::exp(-k / tau), noise, miss};
  law.steps = options.steps > 0 ? options.steps : Steps();
  law.lag = static_cast<int64_t>(std::llround(static_cast<double>(lag) / k));
  if (std::fabs(static_cast<double>(law.lag) * k - static_cast<double>(lag)) > 1e-9 * k) {
    Fail(ExitCode::kBadConfig,
         fmt::format("evidence.track: a lag of {} trained steps is no whole number of steps at "
                     "dt_scale {}; choose a dt_scale that divides it",
                     lag, FormatNumber(k)));
  }
  law.burn = std::max(static_cast<int64_t>(std::floor(tau / k)), law.lag);
  if (law.steps <= law.burn) {
    Fail(ExitCode::kBadConfig,
         fmt::format("evidence.track: sequences of {} steps end before scoring starts, after {} "
                     "steps; ask for longer ones",
                     law.steps, law.burn));
  }
  for (const double leak : LeakTaus()) law.leak_taus.push_back(leak / k);
  return law;
}

TaskSpec EvidenceTrack::Spec() const {
  TaskSpec spec;
  spec.reals = {"sample"};
  if (miss > 0) spec.reals.push_back("seen");
  spec.steps = Steps();
  spec.objective = Objective::kSquaredError;
  spec.metric = "nmse";
  spec.references = TrackReferences(LawOf({}), LeakTaus());
  spec.has_lags = lag > 0 || miss > 0;
  spec.latents = {{"z", 1, 0}, {"filtered mean", 1, 0}};
  return spec;
}

int64_t EvidenceTrack::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;  // nothing is asked without a signal
}

std::unique_ptr<SequenceStream> EvidenceTrack::Open(uint64_t seed, Split split, int64_t index,
                                                    const StreamOptions& options) const {
  return MakeTrackStream(LawOf(options),
                         Random(seed, StreamOf(split), static_cast<uint64_t>(index)),
                         options.detail != Detail::kTraining);
}

std::vector<KnownValue> EvidenceTrack::Known(Split, const StreamOptions& options) const {
  return TrackKnown(LawOf(options), LeakTaus());
}

std::string EvidenceTrack::DescribeWindows() const {
  std::string floors;
  for (const int64_t window : windows) {
    const double error = WindowError(LawOf({}).ou, lag, window);
    floors += fmt::format("{}{} with {}", floors.empty() ? "" : ", ", FormatDigits(error, 4),
                          FormatCount(window, "step"));
  }
  if (floors.empty()) return {};
  return fmt::format(" A model that sees only the newest steps cannot get below {}.", floors);
}

std::string EvidenceTrack::Describe() const {
  const std::vector<KnownValue> known = Known(Split::kTest, {});
  std::string text = fmt::format(
      "A quantity wanders around 0 with standard deviation 1, forgetting where it was within {} "
      "steps; each of {} steps shows it under noise of standard deviation {}.",
      FormatNumber(tau), FormatCount(Steps()), FormatNumber(noise));
  if (miss > 0) {
    text += fmt::format(
        " A sample is missing with probability {}; a second channel says which are "
        "shown.",
        FormatNumber(miss));
  }
  text += lag > 0 ? fmt::format(" At every step the model says where it was {} steps ago.",
                                FormatCount(lag))
                  : " At every step the model says where it is.";
  text += fmt::format(
      " Steps up to {} are not scored. The error is in units of the variance: saying 0 has 1, the "
      "best use of the newest sample {}, and no observer can do better than {} ({}).",
      FormatCount(LawOf({}).burn), FormatDigits(known[1].value, 4), FormatDigits(known[0].value, 4),
      known[0].name);
  if (lag == 0 && miss == 0) {
    const double gain = known[0].value / (noise * noise);
    text += fmt::format(
        " With nothing missing that observer is one leaky integrator, of decay {}; the leaky "
        "heuristics use the time constant of the process, a third and three times of it.",
        FormatDigits((1 - gain) * std::exp(-1 / tau), 4));
  }
  return text + DescribeWindows();
}

}  // namespace ssm
