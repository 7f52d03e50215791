#include "ssm/analysis/system_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ssm/base/errors.h"
#include "ssm/systems/discretization.h"
#include "ssm/systems/eigenvalues.h"
#include "ssm/systems/gramians.h"
#include "ssm/systems/impulse_response.h"
#include "ssm/systems/memory_capacity.h"

namespace ssm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kGone = 1e-3;          // radius^k from where on nothing more is told
constexpr int64_t kLastingSteps = 256;  // of systems that do not decay
constexpr int64_t kMostSteps = 16384;
constexpr double kMostTerms = 1 << 20;
constexpr double kBudget = 2e9;  // multiplications

/// `a` is Re and Im of the mode's exponent.
ModeTimes TimesOf(const ModeStability& mode, std::complex<double> a) {
  ModeTimes times{mode.pole, mode.verdict, kInfinity, kInfinity, 0};
  if (mode.verdict != Stability::kMarginal) times.time_constant = 1 / std::fabs(a.real());
  if (mode.verdict == Stability::kStable) times.half_life = std::numbers::ln2 / -a.real();
  times.frequency = std::fabs(a.imag()) / (2 * std::numbers::pi);
  return times;
}

/// `exponent` gives the a of a mode.
template <class F>
std::vector<ModeTimes> ModesOf(const StabilityReport& stability, const F& exponent) {
  std::vector<ModeTimes> modes;
  for (const ModeStability& mode : stability.modes) {
    if (mode.pole.imag() >= 0) modes.push_back(TimesOf(mode, exponent(mode)));
  }
  return modes;
}

/// Steps until radius^k is kGone, a power of two, each costing `cost` multiplications.
int64_t StepsFor(const StabilityReport& stability, double radius, double cost) {
  int64_t steps = kLastingSteps;
  if (stability.verdict == Stability::kStable) {
    const double wanted = radius > 0 ? std::log(kGone) / std::log(radius) : 1;
    steps = 8;
    while (static_cast<double>(steps) < wanted && steps < kMostSteps) steps *= 2;
  }
  while (steps > 1 && static_cast<double>(steps) * cost > kBudget) steps /= 2;
  return steps;
}

double Cube(int64_t n) { return std::pow(static_cast<double>(n), 3); }

SteppedReport StepReport(const DiscreteSystem& system, StabilityReport stability, double radius) {
  SteppedReport report;
  report.radius = radius;
  const auto n = static_cast<double>(system.states()),
             m = static_cast<double>(system.inputs() + system.outputs());
  const double terms = std::clamp(kBudget / (n * (n + m) * m), 1.0, kMostTerms);
  report.gain = stability.verdict == Stability::kStable
                    ? ResponseGainOf(system, static_cast<int64_t>(terms))
                    : ResponseGain{kInfinity, 0, 0, kInfinity};
  report.growth = TransientGrowthOf(system, StepsFor(stability, radius, Cube(system.states())));
  report.stability = std::move(stability);
  return report;
}

std::vector<double> Energies(const DiscreteSystem& system, int64_t lags) {
  const Array<double> kernel = ImpulseResponse(system, lags);
  const int64_t size = system.outputs() * system.inputs();
  std::vector<double> energies(static_cast<size_t>(lags));
  for (int64_t i = 0; i < kernel.size(); ++i) {
    energies[static_cast<size_t>(i / size)] += kernel[i] * kernel[i];
  }
  return energies;
}

MemoryProfile ProfileOf(const DiscreteSystem& system, int64_t lags) {
  MemoryProfile profile;
  profile.h2_norm = H2Norm(system);
  const std::vector<double> energies = Energies(system, lags);
  for (const double energy : energies) profile.kernel.push_back(std::sqrt(energy));
  profile.energy = OctavesOf(energies, profile.h2_norm * profile.h2_norm);
  const MemoryCapacity capacity = MemoryCapacityOf(system, lags);
  profile.capacity = capacity.total;
  std::vector<double> recall(static_cast<size_t>(lags));
  for (int64_t k = 0; k < lags; ++k) {
    for (int64_t j = 0; j < system.inputs(); ++j) {
      recall[static_cast<size_t>(k)] += capacity.by_lag(k, j);
    }
  }
  profile.recall = OctavesOf(recall, capacity.total);
  for (const auto value : EigenvaluesOf(ControllabilityGramian(system)).values) {
    profile.gramian.push_back(std::max(0.0, value.real()));
  }
  std::sort(profile.gramian.rbegin(), profile.gramian.rend());
  profile.hankel = HankelSingularValues(system);
  return profile;
}

void AddMemory(const DiscreteSystem& system, SystemReport& report) {
  const SteppedReport& step = report.steps.front();
  report.initial_state = InitialStateEnvelope(system, std::ssize(step.growth.norms) - 1);
  if (step.stability.verdict != Stability::kStable) return;
  const auto n = static_cast<double>(system.states()),
             m = static_cast<double>(system.inputs() + system.outputs());
  report.memory = ProfileOf(system, StepsFor(step.stability, step.radius, n * (n + m) * m * m));
}

SystemReport ContinuousReport(const ContinuousSystem& system, double dt) {
  SystemReport report;
  report.chosen_dt = dt == 0;
  report.dt = dt == 0 ? DefaultStep(system) : dt;
  report.stability = StabilityOf(system);
  report.modes = ModesOf(report.stability, [](const ModeStability& mode) { return mode.pole; });
  report.numerical_abscissa = NumericalAbscissa(system.A);
  const bool stable = report.stability.verdict == Stability::kStable;
  report.h2_norm = stable ? H2Norm(system) : kInfinity;
  if (stable && !report.modes.empty()) {
    double limit = kInfinity;
    for (const ModeTimes& mode : report.modes) {
      limit = std::min(limit, -2 * mode.pole.real() / std::norm(mode.pole));
    }
    report.forward_euler_limit = limit;
  }
  for (const StepRule rule : kStepRules) {
    SteppedReport step;
    try {
      const DiscreteSystem discrete = Discretize(system, report.dt, rule);
      step = StepReport(discrete, StabilityOf(system, report.dt, rule),
                        EigenvaluesOf(discrete.A).Radius());
      step.rule = rule;
      report.steps.push_back(std::move(step));
      if (rule == StepRule::kZoh) AddMemory(discrete, report);
    } catch (const Error& error) {
      if (rule == StepRule::kZoh || error.code() != ExitCode::kBadConfig) throw;
      step.rule = rule;
      step.fault = error.what();
      report.steps.push_back(std::move(step));
    }
  }
  return report;
}

SystemReport DiscreteReport(const DiscreteSystem& system, double dt) {
  SystemReport report;
  report.dt = dt;
  report.stability = StabilityOf(system);
  report.modes = ModesOf(report.stability, [dt](const ModeStability& mode) {
    return std::complex<double>(mode.log_growth, std::arg(mode.pole)) / dt;
  });
  report.h2_norm = kInfinity;
  report.steps.push_back(StepReport(system, report.stability, EigenvaluesOf(system.A).Radius()));
  AddMemory(system, report);
  return report;
}

}  // namespace

double DefaultStep(const ContinuousSystem& system) {
  const double fastest = EigenvaluesOf(system.A).Radius();
  if (!(fastest > 0)) return 1;
  const double wanted = 0.1 / fastest;
  const double power = std::pow(10.0, std::floor(std::log10(wanted) + 1e-9));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= wanted * (1 + 1e-9)) return factor * power;
  }
  return power;
}

SystemReport ReportOf(const SystemFile& file, double dt) {
  if (file.discrete()) return DiscreteReport(std::get<DiscreteSystem>(file.system), file.dt);
  return ContinuousReport(std::get<ContinuousSystem>(file.system), dt);
}

}  // namespace ssm
