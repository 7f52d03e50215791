#include "ssm/verify/derivative.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ssm {

Derivative Ridders(const std::function<double(double)>& f, double h0, double enough) {
  constexpr size_t kLevels = 8;
  constexpr double kShrink = 4;
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  std::array<std::array<double, kLevels>, kLevels> tableau{};
  Derivative best{0, std::numeric_limits<double>::infinity()};
  double h = h0;
  for (size_t i = 0; i < kLevels; ++i, h /= kShrink) {
    const double up = f(h), down = f(-h);
    tableau[i][0] = (up - down) / (2 * h);
    // Neighbours may agree by chance where rounding rules.
    const double rounding = kEpsilon * std::max(std::abs(up), std::abs(down)) / h;
    // The error of a central difference has even powers of h only.
    double factor = kShrink * kShrink;
    for (size_t j = 1; j <= i; ++j, factor *= kShrink * kShrink) {
      tableau[i][j] = (factor * tableau[i][j - 1] - tableau[i - 1][j - 1]) / (factor - 1);
      const double error = std::max(std::abs(tableau[i][j] - tableau[i][j - 1]),
                                    std::abs(tableau[i][j] - tableau[i - 1][j - 1])) +
                           rounding;
      if (error <= best.error) best = {tableau[i][j], error};
    }
    if (best.error < enough) break;
  }
  return best;
}

}  // namespace ssm
