#include "ssm/analysis/system_sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ssm/analysis/stepped_stability.h"
#include "ssm/base/errors.h"
#include "ssm/systems/discretization.h"
#include "ssm/systems/eigenvalues.h"

namespace ssm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMostTerms = 65536;
constexpr double kBudget = 2e8;  // multiplications of a gain

StepOutcome OutcomeOf(const ContinuousSystem& system, double dt, StepRule rule) {
  StepOutcome outcome{rule, "", Stability::kStable, 0, kInfinity, {kInfinity, 0, 0, kInfinity}};
  DiscreteSystem discrete;
  try {
    discrete = Discretize(system, dt, rule);
  } catch (const Error& error) {
    if (error.code() != ExitCode::kBadConfig) throw;
    outcome.fault = error.what();
    return outcome;
  }
  const StabilityReport stability =
      SteppedStability(system, dt, rule, EigenvaluesOf(discrete.A).Radius());
  outcome.verdict = stability.verdict;
  double growth = -kInfinity;
  for (const ModeStability& mode : stability.modes) growth = std::max(growth, mode.log_growth);
  outcome.radius = std::exp(growth);
  if (outcome.verdict != Stability::kStable) return outcome;
  outcome.half_life = -std::numbers::ln2 / growth;
  const auto n = static_cast<double>(system.states()),
             m = static_cast<double>(system.inputs() + system.outputs());
  const double terms = std::clamp(kBudget / (n * (n + m) * m), 1.0, kMostTerms);
  outcome.gain = ResponseGainOf(discrete, static_cast<int64_t>(terms));
  return outcome;
}

}  // namespace

std::vector<StepSweepRow> SweepSteps(const ContinuousSystem& system, std::span<const double> dts) {
  std::vector<StepSweepRow> rows;
  for (const double dt : dts) {
    StepSweepRow& row = rows.emplace_back();
    row.dt = dt;
    for (const StepRule rule : kStepRules) row.rules.push_back(OutcomeOf(system, dt, rule));
  }
  return rows;
}

}  // namespace ssm
