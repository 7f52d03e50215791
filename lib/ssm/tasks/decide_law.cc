#include "ssm/tasks/decide_law.h"

#include <cmath>

#include "ssm/base/text.h"
#include "ssm/tasks/gaussian_evidence.h"

namespace ssm {
namespace {

/// The mean of f(samples seen, drift) over trials.
template <class F>
double MeanOverTrials(const DecideLaw& law, F f) {
  const BinomialWeights seen(law.stimulus, 1 - law.miss);
  double sum = 0;
  double weight = 0;
  for (size_t i = 0; i < seen.weights.size(); ++i) {
    const int64_t n = seen.first + static_cast<int64_t>(i);
    if (n == 0 && law.dprime > 0) continue;  // drawn anew
    const std::vector<double> drifts = law.DriftsOf(n);
    for (const double m : drifts) {
      const double w = seen.weights[i] / static_cast<double>(drifts.size());
      sum += w * (n == 0 ? 0.5 : f(n, m / law.sigma));
      weight += w;
    }
  }
  return sum / weight;
}

/// Closed form without missing samples: the integrator's mean and spread are those of the trial.
double LeakyAccuracy(const DecideLaw& law, double tau) {
  Integrator leaky{.decay = std::exp(-1 / tau)};
  const double variance = law.sigma * law.sigma;
  for (int64_t t = 0; t < law.stimulus; ++t) leaky.Step(0, true, variance);
  const double distractor = law.distractor_sigma * law.distractor_sigma;
  for (int64_t t = 0; t < law.delay; ++t) leaky.Step(0, false, distractor);
  double sum = 0;
  const std::vector<double> drifts = law.DriftsOf(law.stimulus);
  for (const double m : drifts) sum += Phi(m * leaky.gain / std::sqrt(leaky.variance));
  return sum / static_cast<double>(drifts.size());
}

std::string LeakyName(double tau) { return "leaky tau " + FormatNumber(tau); }

}  // namespace

std::vector<double> DecideLaw::DriftsOf(int64_t seen) const {
  if (!drift.empty()) return drift;
  return {DriftOf(seen)};
}

double DecideLaw::DriftOf(int64_t seen) const {
  return dprime * sigma / std::sqrt(static_cast<double>(seen));
}

std::vector<Reference> DecideReferences(const std::vector<double>& leak_taus) {
  std::vector<Reference> list{{"exact log-odds", Role::kCeiling},
                              {"last sample", Role::kHeuristic},
                              {"majority of signs", Role::kHeuristic}};
  for (const double tau : leak_taus) list.push_back({LeakyName(tau), Role::kHeuristic});
  list.push_back({"chance", Role::kChance});
  return list;
}

std::vector<KnownValue> DecideKnown(const DecideLaw& law, const std::vector<double>& named_taus) {
  const auto value = [&](Role role, const std::string& name, double accuracy, const char* basis) {
    return KnownValue{"accuracy", role, name, law.zero_drift ? 0.5 : accuracy,
                      law.zero_drift ? "labels of the probe are random" : basis};
  };
  const double exact = MeanOverTrials(
      law, [](int64_t n, double drift) { return Phi(drift * std::sqrt(static_cast<double>(n))); });
  const double last = MeanOverTrials(law, [](int64_t, double drift) { return Phi(drift); });
  std::vector<KnownValue> known{
      value(Role::kCeiling, "exact log-odds", law.dprime > 0 ? Phi(law.dprime) : exact,
            law.dprime > 0 ? "closed form, Phi(dprime)" : "closed form, mean over drifts"),
      value(Role::kHeuristic, "last sample", last, "closed form")};
  if (law.miss == 0) {
    const double majority = MeanOverTrials(
        law, [](int64_t n, double drift) { return MajorityAccuracy(n, Phi(drift)); });
    known.push_back(value(Role::kHeuristic, "majority of signs", majority, "binomial sum"));
    for (size_t i = 0; i < named_taus.size(); ++i) {
      known.push_back(value(Role::kHeuristic, LeakyName(named_taus[i]),
                            LeakyAccuracy(law, law.leak_taus[i]), "closed form"));
    }
  }
  known.push_back(value(Role::kChance, "chance", 0.5, "closed form"));
  return known;
}

}  // namespace ssm
