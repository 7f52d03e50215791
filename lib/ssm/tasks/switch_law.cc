#include "ssm/tasks/switch_law.h"

#include <cmath>
#include <optional>

#include "ssm/base/text.h"
#include "ssm/tasks/gaussian_evidence.h"
#include "ssm/tasks/ou_filter.h"
#include "ssm/tasks/telegraph_filter.h"

namespace ssm {
namespace {

std::optional<double> FilterAccuracy(const SwitchLaw& law) {
  if (law.irregular) return std::nullopt;
  const double hazard = law.MeanHazard();
  SideChain chain;
  chain.carry = [hazard](double v) { return HazardPrior(v, hazard); };
  chain.reach = std::log((1 - hazard) / hazard);
  chain.bend = 1;
  chain.hazard = hazard;
  chain.miss = law.miss;
  chain.mean = 2 * law.drift * law.drift / (law.sigma * law.sigma);
  chain.sd = 2 * law.drift / law.sigma;
  return SteadyAccuracy(chain);
}

std::optional<double> LeakyAccuracy(const SwitchLaw& law, double leak) {
  SideChain chain;
  chain.carry = [leak](double v) { return leak * v; };
  // All samples of one sign, and their noise.
  chain.reach = leak * (law.drift / (1 - leak) + 8 * law.sigma / std::sqrt(1 - leak * leak));
  chain.hazard = law.MeanHazard();
  chain.miss = law.miss;
  chain.mean = law.drift;
  chain.sd = law.sigma;
  return SteadyAccuracy(chain);
}

}  // namespace

double SwitchLaw::Leak(size_t i) const { return std::exp(-1 / leak_taus[i]); }

double SwitchLaw::MeanHazard() const {
  if (!irregular) return HazardOver(hazard, gap);
  const double rate = -std::log1p(-2 * hazard);  // E (1 - 2 h)^gap = 1 / (1 + gap rate)
  return 0.5 * gap * rate / (1 + gap * rate);
}

double SwitchLaw::LeakyWeight(double leak) const {
  const double kept = 1 - 2 * MeanHazard();
  const double shown = 1 - miss;
  const double mean = shown * drift / (1 - leak * kept);
  const double square =
      (shown * (drift * drift + sigma * sigma) + 2 * mean * shown * drift * leak * kept) /
      (1 - leak * leak);
  return 2 * mean / (square - mean * mean);
}

double BestLinearTau(const SwitchLaw& law) {
  const double kept = 1 - 2 * law.MeanHazard();
  // Beside (1 - miss) drift s: the noise of samples, and that of which are shown.
  const double shown = 1 - law.miss;
  const double ratio = law.sigma / law.drift;
  const double noise = std::sqrt((ratio * ratio + law.miss) / shown);
  const double gain = FilterVariance(kept, noise) / (noise * noise);
  return -1 / std::log((1 - gain) * kept);
}

std::vector<Reference> SwitchReferences(const std::vector<double>& named_taus) {
  std::vector<Reference> list{{"exact log-odds", Role::kCeiling},
                              {"last sample", Role::kHeuristic}};
  for (const double tau : named_taus) {
    list.push_back({"leaky tau " + FormatNumber(tau), Role::kHeuristic});
  }
  list.push_back({"chance", Role::kChance});
  return list;
}

std::vector<KnownValue> SwitchKnown(const SwitchLaw& law, const std::vector<double>& named_taus) {
  const std::vector<Reference> references = SwitchReferences(named_taus);
  constexpr const char* kGrid = "integral equation of its density on a grid, steady state";
  std::vector<KnownValue> known;
  const auto add = [&](size_t i, std::optional<double> value, const char* basis) {
    if (!value.has_value()) return;
    known.push_back({"accuracy", references[i].role, references[i].name, *value, basis});
  };
  add(0, FilterAccuracy(law), kGrid);
  const double right = Phi(law.drift / law.sigma);
  add(1, 0.5 + (1 - law.miss) * (right - 0.5), "closed form");
  for (size_t i = 0; i < named_taus.size(); ++i) {
    add(2 + i, LeakyAccuracy(law, law.Leak(i)), kGrid);
  }
  add(references.size() - 1, 0.5, "closed form");
  return known;
}

}  // namespace ssm
