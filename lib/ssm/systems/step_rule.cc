#include "ssm/systems/step_rule.h"

#include <cmath>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

using Complex = std::complex<double>;

/// e^z - 1 without cancellation.
Complex Expm1(Complex z) {
  const double growth = std::expm1(z.real()), sine = std::sin(0.5 * z.imag());
  const double versine = 2 * sine * sine;  // 1 - cos
  return {growth * (1 - versine) - versine, (growth + 1) * std::sin(z.imag())};
}

/// ln |1 + z|.
double LogOfOnePlus(Complex z) {
  if (std::norm(z) > 0.25) return std::log(std::abs(1.0 + z));
  return 0.5 * std::log1p(2 * z.real() + std::norm(z));
}

/// The middle of DescribeRule's sentence.
struct RuleWords {
  const char* equations;
  const char* property;
};

RuleWords WordsOf(StepRule rule) {
  switch (rule) {
    case StepRule::kZoh:
      return {"A_bar = e^{dt A}, B_bar = (integral_0^dt e^{s A} ds) B",
              "exact for such an input; a decaying mode decays"};
    case StepRule::kBilinear:
      return {"A_bar = M (I + dt/2 A), B_bar = dt M B, M = (I - dt/2 A)^-1",
              "second order; a decaying mode decays, but a fast one rings: its pole nears -1"};
    case StepRule::kForwardEuler:
      return {"A_bar = I + dt A, B_bar = dt B",
              "first order; a decaying mode decays only for dt < 2 |Re lambda| / |lambda|^2"};
    case StepRule::kBackwardEuler:
      return {"A_bar = (I - dt A)^-1, B_bar = dt A_bar B",
              "first order; a decaying mode decays, and a lasting oscillation is damped"};
  }
  Fail(ExitCode::kInternal, "an unknown rule");
}

}  // namespace

const char* NameOf(StepRule rule) {
  switch (rule) {
    case StepRule::kZoh:
      return "zoh";
    case StepRule::kBilinear:
      return "bilinear";
    case StepRule::kForwardEuler:
      return "forward_euler";
    case StepRule::kBackwardEuler:
      return "backward_euler";
  }
  Fail(ExitCode::kInternal, "an unknown rule");
}

std::optional<StepRule> FindStepRule(std::string_view name) {
  for (const StepRule rule : kStepRules) {
    if (name == NameOf(rule)) return rule;
  }
  return std::nullopt;
}

std::string DescribeRule(StepRule rule) {
  const RuleWords words = WordsOf(rule);
  return std::string(NameOf(rule)) + ": " + words.equations +
         "; the input x_t is held over ((t-1) dt, t dt]; " + words.property + ".";
}

Complex MapPole(StepRule rule, Complex lambda, double dt) {
  const Complex z = dt * lambda;
  switch (rule) {
    case StepRule::kZoh:
      return std::exp(z);
    case StepRule::kBilinear:
      return (1.0 + 0.5 * z) / (1.0 - 0.5 * z);
    case StepRule::kForwardEuler:
      return 1.0 + z;
    case StepRule::kBackwardEuler:
      return 1.0 / (1.0 - z);
  }
  Fail(ExitCode::kInternal, "an unknown rule");
}

double LogGrowth(StepRule rule, Complex lambda, double dt) {
  const Complex z = dt * lambda;
  switch (rule) {
    case StepRule::kZoh:
      return z.real();
    case StepRule::kBilinear: {
      // |1 + z/2|^2 / |1 - z/2|^2 = 1 + 2 Re z / |1 - z/2|^2
      const double excess = 2 * z.real() / std::norm(1.0 - 0.5 * z);
      if (std::fabs(excess) < 0.5) return 0.5 * std::log1p(excess);
      return std::log(std::abs(1.0 + 0.5 * z)) - std::log(std::abs(1.0 - 0.5 * z));
    }
    case StepRule::kForwardEuler:
      return LogOfOnePlus(z);
    case StepRule::kBackwardEuler:
      return -LogOfOnePlus(-z);
  }
  Fail(ExitCode::kInternal, "an unknown rule");
}

Complex InputWeight(StepRule rule, Complex lambda, double dt) {
  const Complex z = dt * lambda;
  switch (rule) {
    case StepRule::kZoh:
      return z == 0.0 ? dt : dt * (Expm1(z) / z);
    case StepRule::kBilinear:
      return dt / (1.0 - 0.5 * z);
    case StepRule::kForwardEuler:
      return dt;
    case StepRule::kBackwardEuler:
      return dt / (1.0 - z);
  }
  Fail(ExitCode::kInternal, "an unknown rule");
}

}  // namespace ssm
