#include "ssm/analysis/system_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ssm/analysis/stepped_stability.h"
#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/systems/discretization.h"
#include "ssm/systems/eigenvalues.h"
#include "ssm/systems/gramians.h"
#include "ssm/systems/impulse_response.h"
#include "ssm/systems/memory_capacity.h"
#include "ssm/systems/scaled_system.h"

namespace ssm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLittle = 1e-6;        // of the energy
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

/// |K_k|_F of `lags` lags.
std::vector<double> KernelNorms(const DiscreteSystem& system, int64_t lags) {
  const Array<double> kernel = ImpulseResponse(system, lags);
  const int64_t size = system.outputs() * system.inputs();
  std::vector<double> norms(static_cast<size_t>(lags));
  for (int64_t i = 0; i < kernel.size(); ++i) {
    double& norm = norms[static_cast<size_t>(i / size)];
    norm = std::hypot(norm, kernel[i]);
  }
  return norms;
}

/// What lags beyond `norms` hold of the energy h2^2, as a share; NaN where that is 0 or not finite.
double ShareLater(const std::vector<double>& norms, double h2) {
  double share = 1;
  for (const double norm : norms) share -= (norm / h2) * (norm / h2);
  return h2 > 0 && std::isfinite(h2) ? std::max(0.0, share) : std::nan("");
}

/// From `lags` of |K_k|_F on until they hold all but kLittle of the energy, which eigenvalues do
/// not tell of a kernel that peaks late. A lag costs `cost` multiplications.
std::vector<double> FollowedKernel(const DiscreteSystem& system, int64_t lags, double cost,
                                   double h2) {
  std::vector<double> norms = KernelNorms(system, lags);
  while (ShareLater(norms, h2) > kLittle && 2 * lags <= kMostSteps &&
         2 * static_cast<double>(lags) * cost <= kBudget) {
    lags *= 2;
    norms = KernelNorms(system, lags);
  }
  return norms;
}

/// Shares and squares are of the scaled system, so that none leaves the range of double.
MemoryProfile ProfileOf(const DiscreteSystem& system, const SteppedReport& step) {
  const auto scaled = ScaledSystemOf(system);
  const auto n = static_cast<double>(system.states()),
             m = static_cast<double>(system.inputs() + system.outputs());
  const double cost = n * (n + m) * m * m;
  MemoryProfile profile;
  profile.rounding = std::numeric_limits<double>::epsilon() / (1 - step.radius);
  const double h2 = H2Norm(scaled.system);
  profile.h2_norm = scaled.OfKernel(h2);
  const std::vector<double> norms =
      FollowedKernel(scaled.system, StepsFor(step.stability, step.radius, cost), cost, h2);
  std::vector<double> energies;
  for (const double norm : norms) {
    profile.kernel.push_back(scaled.OfKernel(norm));
    energies.push_back(h2 > 0 ? (norm / h2) * (norm / h2) : 0);
  }
  profile.energy = OctavesOf(energies, h2 > 0 ? 1 : 0);
  for (LagOctave& octave : profile.energy) octave.sum *= profile.h2_norm * profile.h2_norm;
  profile.later = ShareLater(norms, h2);
  const auto lags = std::ssize(norms);
  const MemoryCapacity capacity = MemoryCapacityOf(system, lags);
  profile.capacity = capacity.total;
  std::vector<double> recall(static_cast<size_t>(lags));
  for (int64_t k = 0; k < lags; ++k) {
    for (int64_t j = 0; j < system.inputs(); ++j) {
      recall[static_cast<size_t>(k)] += capacity.by_lag(k, j);
    }
  }
  profile.recall = OctavesOf(recall, capacity.total);
  for (const double spread : StateSpread(system)) {
    profile.spread.push_back(spread);
    profile.gramian.push_back(spread * spread);
  }
  profile.hankel = HankelSingularValues(system);
  return profile;
}

void AddMemory(const DiscreteSystem& system, SystemReport& report) {
  SteppedReport& step = report.steps.front();
  report.initial_state = InitialStateEnvelope(system, std::ssize(step.growth.norms) - 1);
  if (step.stability.verdict != Stability::kStable) return;
  try {
    report.memory = ProfileOf(system, step);
  } catch (const Error& error) {
    // The poles of A_bar as this factors it, not as the verdict has them, are not below 1.
    if (error.code() != ExitCode::kBadData) throw;
    const std::string name =
        step.rule ? fmt::format("{}, dt = {}", NameOf(*step.rule), FormatNumber(report.dt))
                  : "as given";
    step.stability = MarginalByRounding(std::move(step.stability), name, step.radius);
  }
}

/// Hankel values of a zoh system tend to the continuous ones, which small steps do not round.
void UnroundHankel(const ContinuousSystem& system, SystemReport& report) {
  constexpr double kRounded = 1e-6, kSmallStep = 1e-8;
  MemoryProfile& memory = *report.memory;
  const double fastest = EigenvaluesOf(system.A).Radius();
  if (memory.rounding < kRounded || report.dt * fastest > kSmallStep) return;
  memory.hankel = HankelSingularValues(system);
  memory.hankel_is_limit = true;
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
      const double size = std::abs(mode.pole);  // its square may be beyond double
      limit = std::min(limit, -2 * (mode.pole.real() / size) / size);
    }
    report.forward_euler_limit = limit;
  }
  for (const StepRule rule : kStepRules) {
    SteppedReport step;
    try {
      const DiscreteSystem discrete = Discretize(system, report.dt, rule);
      const double radius = EigenvaluesOf(discrete.A).Radius();
      step = StepReport(discrete, SteppedStability(system, report.dt, rule, radius), radius);
      step.rule = rule;
      report.steps.push_back(std::move(step));
      if (rule == StepRule::kZoh) AddMemory(discrete, report);
      if (rule == StepRule::kZoh && report.memory) UnroundHankel(system, report);
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
