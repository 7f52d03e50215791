#include "ssm/systems/gauss_legendre.h"

#include <cmath>
#include <numbers>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

struct ValueAndSlope {
  double value, slope;
};

/// P_n and P_n' at |x| < 1.
ValueAndSlope LegendreAt(int64_t n, double x) {
  double before = 1, now = x;
  for (int64_t i = 1; i < n; ++i) {
    const double k = static_cast<double>(i);
    const double next = ((2 * k + 1) * x * now - k * before) / (k + 1);
    before = now;
    now = next;
  }
  return {now, static_cast<double>(n) * (before - x * now) / ((1 - x) * (1 + x))};
}

}  // namespace

Quadrature GaussLegendre(int64_t n) {
  SSM_CHECK(n >= 1, "a quadrature has a node");
  constexpr int kMostSteps = 50;
  constexpr double kClose = 1e-15;
  const size_t size = static_cast<size_t>(n);
  Quadrature rule{std::vector<double>(size), std::vector<double>(size)};
  for (size_t k = 0; k < (size + 1) / 2; ++k) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(k) + 0.75) /
                        (static_cast<double>(n) + 0.5));
    if (2 * k + 1 == size) x = 0;
    for (int i = 0; i < kMostSteps; ++i) {
      const ValueAndSlope at = LegendreAt(n, x);
      const double step = at.value / at.slope;
      x -= step;
      if (std::abs(step) < kClose) break;
    }
    const double slope = LegendreAt(n, x).slope;
    const double weight = 1 / ((1 - x) * (1 + x) * slope * slope);
    rule.nodes[k] = (1 - x) / 2;
    rule.nodes[size - 1 - k] = (1 + x) / 2;
    rule.weights[k] = rule.weights[size - 1 - k] = weight;
  }
  return rule;
}

}  // namespace ssm
