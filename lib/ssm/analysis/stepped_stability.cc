#include "ssm/analysis/stepped_stability.h"

#include <fmt/format.h>

#include "ssm/base/text.h"

namespace ssm {

StabilityReport MarginalByRounding(StabilityReport stability, const std::string& step,
                                   double radius) {
  stability.verdict = Stability::kMarginal;
  stability.reason = fmt::format(
      "{}: every mode decays, but so little a step that A_bar, rounded to double, lasts "
      "(spectral radius {})",
      step, FormatDigits(radius, 6));
  return stability;
}

StabilityReport SteppedStability(const ContinuousSystem& system, double dt, StepRule rule,
                                 double radius) {
  StabilityReport stability = StabilityOf(system, dt, rule);
  if (stability.verdict != Stability::kStable || radius < 1) return stability;
  return MarginalByRounding(std::move(stability),
                            fmt::format("{}, dt = {}", NameOf(rule), FormatNumber(dt)), radius);
}

}  // namespace ssm
