#include "ssm/systems/stability.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/eigenvalues.h"

namespace ssm {
namespace {

using Complex = std::complex<double>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// What of a mode's fate is read off.
struct Domain {
  bool continuous_poles = true;  // else of a discrete system
  bool discretised = false;      // by `rule` over `dt`
  StepRule rule = StepRule::kZoh;
  double dt = 0;
};

double LogGrowthIn(const Domain& domain, Complex pole) {
  if (domain.discretised) return LogGrowth(domain.rule, pole, domain.dt);
  if (domain.continuous_poles) return pole.real();
  return std::log(std::abs(pole));
}

/// By how much the growth may be off where the pole is off by `rounding`.
double Tolerance(const Domain& domain, Complex pole, double rounding) {
  // The modulus of a complex pole is rounded.
  if (!domain.discretised && !domain.continuous_poles) {
    return rounding + (pole.imag() != 0 ? 2 * kEpsilon : 0);
  }
  if (!domain.discretised) return rounding;
  // d ln |MapPole| <= |d MapPole / dz| / |MapPole| |dz|
  const Complex z = domain.dt * pole;
  const double off = domain.dt * rounding + 4 * kEpsilon * std::abs(z);
  switch (domain.rule) {
    case StepRule::kZoh:
      return domain.dt * rounding;
    case StepRule::kBilinear:
      // The boundary is Re z = 0, whatever the rounding of z.
      return domain.dt * rounding / std::abs((1.0 - 0.5 * z) * (1.0 + 0.5 * z));
    case StepRule::kForwardEuler:
      return off / std::abs(1.0 + z);
    case StepRule::kBackwardEuler:
      return off / std::abs(1.0 - z);
  }
  Fail(ExitCode::kInternal, "an unknown rule");
}

Stability VerdictOf(double log_growth, double tolerance) {
  if (std::fabs(log_growth) <= tolerance) return Stability::kMarginal;
  return log_growth > 0 ? Stability::kUnstable : Stability::kStable;
}

std::string PoleText(Complex pole) {
  if (pole.imag() == 0) return FormatDigits(pole.real(), 4);
  return fmt::format("{} {} {}i", FormatDigits(pole.real(), 4), pole.imag() < 0 ? "-" : "+",
                     FormatDigits(std::fabs(pole.imag()), 4));
}

/// "|1 + dt lambda| = 1.700".
std::string MeasureText(const Domain& domain, Complex pole) {
  if (!domain.discretised) {
    return domain.continuous_poles ? "Re lambda = " + FormatDigits(pole.real(), 4)
                                   : "|lambda| = " + FormatDigits(std::abs(pole), 4);
  }
  const char* name = "";
  switch (domain.rule) {
    case StepRule::kZoh:
      name = "|exp(dt lambda)|";
      break;
    case StepRule::kBilinear:
      name = "|(1 + dt lambda/2) / (1 - dt lambda/2)|";
      break;
    case StepRule::kForwardEuler:
      name = "|1 + dt lambda|";
      break;
    case StepRule::kBackwardEuler:
      name = "1 / |1 - dt lambda|";
      break;
  }
  return fmt::format("{} = {}", name,
                     FormatDigits(std::abs(MapPole(domain.rule, pole, domain.dt)), 4));
}

std::string Reason(const Domain& domain, const std::vector<ModeStability>& modes, size_t worst) {
  const std::string rule = domain.discretised ? fmt::format("{}, dt = {}: ", NameOf(domain.rule),
                                                            FormatNumber(domain.dt))
                                              : "";
  const ModeStability& mode = modes[worst];
  std::string text =
      fmt::format("{}{} for mode {} of {}, lambda = {}", rule, MeasureText(domain, mode.pole),
                  worst + 1, modes.size(), PoleText(mode.pole));
  if (mode.verdict == Stability::kMarginal) {
    text += ", which lasts to within rounding";
  } else {
    // Four digits may hide on which side of the boundary it lies.
    text +=
        fmt::format(", ln of its growth {} {}", FormatDigits(mode.log_growth, 3),
                    domain.discretised || !domain.continuous_poles ? "a step" : "a unit of time");
  }
  return text;
}

/// Longest lived first; of a pair the positive imaginary part.
void Sort(bool continuous, std::vector<Complex>& poles) {
  const auto key = [continuous](Complex pole) {
    return std::array<double, 3>{continuous ? -pole.real() : -std::abs(pole),
                                 std::fabs(pole.imag()), -pole.imag()};
  };
  std::sort(poles.begin(), poles.end(), [&](Complex a, Complex b) { return key(a) < key(b); });
}

StabilityReport Judge(const Domain& domain, std::vector<Complex> poles, double rounding) {
  Sort(domain.continuous_poles, poles);
  StabilityReport report;
  size_t worst = 0;
  for (const Complex pole : poles) {
    const double growth = LogGrowthIn(domain, pole);
    const Stability verdict = VerdictOf(growth, Tolerance(domain, pole, rounding));
    report.modes.push_back({pole, growth, verdict});
    report.verdict = std::max(report.verdict, verdict);
    if (growth > report.modes[worst].log_growth) worst = report.modes.size() - 1;
  }
  report.reason = poles.empty() ? "there are no modes" : Reason(domain, report.modes, worst);
  return report;
}

/// How many of the eigenvalues are `pole` as far as can be told, less the eigenvectors they have.
int64_t MissingEigenvectors(const Matrix& A, const Eigenvalues& eigenvalues, Complex pole) {
  const Eigen::MatrixXcd dense = ToEigen(A).cast<Complex>();
  const bool exact = eigenvalues.rounding == 0;
  // A double eigenvalue of a matrix off by eps is off by sqrt(eps).
  const double near =
      exact ? 0 : 10 * std::sqrt(kEpsilon) * std::min(dense.norm(), std::abs(pole) + 1);
  const auto count = std::count_if(eigenvalues.values.begin(), eigenvalues.values.end(),
                                   [&](Complex other) { return std::abs(other - pole) <= near; });
  if (count < 2) return 0;
  const Eigen::MatrixXcd shifted =
      dense - pole * Eigen::MatrixXcd::Identity(dense.rows(), dense.cols());
  const Eigen::VectorXd singular = Eigen::BDCSVD<Eigen::MatrixXcd>(shifted).singularValues();
  const double zero =
      exact ? 4 * static_cast<double>(dense.rows()) * kEpsilon * singular.maxCoeff() : near;
  return count - (singular.array() <= zero).count();
}

/// Judges a dense system; lasting modes need their eigenvectors.
StabilityReport JudgeDense(const Domain& domain, const Matrix& A) {
  const Eigenvalues eigenvalues = EigenvaluesOf(A);
  StabilityReport report = Judge(domain, eigenvalues.values, eigenvalues.rounding);
  for (ModeStability& mode : report.modes) {
    if (mode.verdict != Stability::kMarginal) continue;
    const int64_t missing = MissingEigenvectors(A, eigenvalues, mode.pole);
    if (missing <= 0) continue;
    mode.verdict = Stability::kUnstable;
    if (report.verdict == Stability::kUnstable) continue;
    report.verdict = Stability::kUnstable;
    report.reason += fmt::format(
        ", but its eigenvalue is short of {} eigenvector{}: it grows like "
        "a power of time",
        missing, missing == 1 ? "" : "s");
  }
  return report;
}

template <class System>
StabilityReport JudgeModal(const Domain& domain, const System& system) {
  std::vector<Complex> poles;
  for (const SystemMode& mode : system.modes) {
    poles.push_back(mode.pole);
    if (mode.pair) poles.push_back(std::conj(mode.pole));
  }
  return Judge(domain, poles, 0);
}

template <class System>
void RequireSound(const System& system, double dt) {
  std::vector<std::string> faults = FaultsOf(system);
  if (!(dt > 0 && std::isfinite(dt))) {
    faults.push_back(fmt::format("dt is {}; it needs to be above 0 and finite", FormatNumber(dt)));
  }
  if (faults.empty()) return;
  Fail(ExitCode::kBadConfig, "The system's stability cannot be told: " + Join(faults, "; ") + ".");
}

}  // namespace

const char* NameOf(Stability stability) {
  switch (stability) {
    case Stability::kStable:
      return "stable";
    case Stability::kMarginal:
      return "marginal";
    case Stability::kUnstable:
      return "unstable";
  }
  Fail(ExitCode::kInternal, "an unknown verdict");
}

std::string StabilityReport::Text() const {
  return fmt::format("{}: {}. This layer only: says nothing of activations or gradients around it.",
                     NameOf(verdict), reason);
}

StabilityReport StabilityOf(const ContinuousSystem& system) {
  RequireSound(system, 1);
  return JudgeDense({.continuous_poles = true}, system.A);
}

StabilityReport StabilityOf(const DiscreteSystem& system) {
  RequireSound(system, 1);
  return JudgeDense({.continuous_poles = false}, system.A);
}

StabilityReport StabilityOf(const ContinuousModalSystem& system) {
  RequireSound(system, 1);
  return JudgeModal({.continuous_poles = true}, system);
}

StabilityReport StabilityOf(const DiscreteModalSystem& system) {
  RequireSound(system, 1);
  return JudgeModal({.continuous_poles = false}, system);
}

StabilityReport StabilityOf(const ContinuousSystem& system, double dt, StepRule rule) {
  RequireSound(system, dt);
  return JudgeDense({true, true, rule, dt}, system.A);
}

StabilityReport StabilityOf(const ContinuousModalSystem& system, double dt, StepRule rule) {
  RequireSound(system, dt);
  return JudgeModal({true, true, rule, dt}, system);
}

}  // namespace ssm
