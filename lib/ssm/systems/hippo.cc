#include "ssm/systems/hippo.h"

#include <cmath>
#include <numbers>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// The phase of LegsNormalFrequencies' equation at w = exp(x), and its slope in x.
struct Phase {
  double value = 0, slope = 0;

  Phase(int64_t order, double x) {
    const double half = 0.5 * std::exp(-x);
    for (int64_t i = 0; i < order; ++i) {
      const double c = static_cast<double>(2 * i + 1) * half;
      value += std::atan(c);
      slope -= c / (1 + c * c);
    }
  }
};

/// The log of the frequency between exp(low) and exp(high) whose phase is `wanted`: Newton's steps,
/// and a bisection where one would leave the bracket.
double SolvePhase(int64_t order, double wanted, double low, double high) {
  constexpr int kMostSteps = 200;
  constexpr double kClose = 2e-16;
  double x = high;
  for (int i = 0; i < kMostSteps; ++i) {
    const Phase phase(order, x);
    (phase.value > wanted ? low : high) = x;  // the phase falls with the frequency
    double next = x - (phase.value - wanted) / phase.slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const bool settled = std::fabs(next - x) <= kClose * (1 + std::fabs(x));
    x = next;
    if (settled) break;
  }
  return x;
}

}  // namespace

std::vector<double> LegsNormalFrequencies(int64_t order) {
  SSM_CHECK(order > 0 && order % 2 == 0, "the order of a LegS system in pairs is even");
  double inverses = 0;
  for (int64_t i = 0; i < order; ++i) inverses += 1 / static_cast<double>(2 * i + 1);
  // atan(c) <= c bounds the largest frequency, and atan(c) >= pi/2 - 1/c the smallest.
  const double lowest = std::log(std::numbers::pi / 4 / inverses) - 1;
  double high = std::log(static_cast<double>(order) * static_cast<double>(order)) + 1;
  std::vector<double> frequencies(static_cast<size_t>(order / 2));
  for (size_t k = 0; k < frequencies.size(); ++k) {
    const double wanted = (static_cast<double>(k) + 0.5) * std::numbers::pi;
    high = SolvePhase(order, wanted, lowest, high);
    frequencies[frequencies.size() - 1 - k] = std::exp(high);
  }
  return frequencies;
}

}  // namespace ssm
