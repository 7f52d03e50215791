// How a continuous system becomes one that steps, and what that does to its poles.
#pragma once

#include <array>
#include <complex>
#include <optional>
#include <string>
#include <string_view>

namespace ssm {

/// From h' = A h + B x, x being x_t over ((t-1) dt, t dt], to h_t = A_bar h_{t-1} + B_bar x_t:
/// kZoh: A_bar = e^{dt A}, B_bar = (integral_0^dt e^{s A} ds) B: exact for that input.
/// kBilinear: A_bar = M (I + dt/2 A), B_bar = dt M B, M = (I - dt/2 A)^-1 (Tustin).
/// kForwardEuler: A_bar = I + dt A, B_bar = dt B.
/// kBackwardEuler: A_bar = (I - dt A)^-1, B_bar = dt A_bar B.
/// The first two are kernels::DiscretizationRule's, here for any poles and dense matrices too.
enum class StepRule { kZoh, kBilinear, kForwardEuler, kBackwardEuler };

inline constexpr std::array<StepRule, 4> kStepRules = {
    StepRule::kZoh, StepRule::kBilinear, StepRule::kForwardEuler, StepRule::kBackwardEuler};

/// "zoh", "bilinear", "forward_euler", "backward_euler".
const char* NameOf(StepRule rule);
/// Nothing where there is no such rule.
std::optional<StepRule> FindStepRule(std::string_view name);
/// For people: "zoh: A_bar = e^{dt A}, ...; the input x_t is held over ((t-1) dt, t dt]; ...".
std::string DescribeRule(StepRule rule);

/// The pole a continuous pole is mapped to: e^z, (1 + z/2) / (1 - z/2), 1 + z or 1 / (1 - z) with z
/// = dt lambda. Infinite at the pole of the rule.
std::complex<double> MapPole(StepRule rule, std::complex<double> lambda, double dt);
/// ln |MapPole|, without cancellation where that is near 1: by what power of e a mode grows a step.
double LogGrowth(StepRule rule, std::complex<double> lambda, double dt);
/// What B is multiplied by for such a pole: dt phi1(z), dt / (1 - z/2), dt or dt / (1 - z).
std::complex<double> InputWeight(StepRule rule, std::complex<double> lambda, double dt);

}  // namespace ssm
