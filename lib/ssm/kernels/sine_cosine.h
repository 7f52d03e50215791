// Sine and cosine in double without branches, tables or calls: a plain loop over them vectorises.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <numbers>

#include "ssm/kernels/elementary.h"

namespace ssm::kernels {

struct SineCosine {
  double sine, cosine;
};

/// 1/1!, -1/3!, 1/5!, ... from `first` = 1, or 1, -1/2!, 1/4!, ... from 0.
template <int kFirst>
inline constexpr auto kCircularSeries = [] {
  std::array<double, 9> c{};
  double factorial = 1;
  int k = 0;
  for (size_t i = 0; i < c.size(); ++i) {
    const int power = kFirst + 2 * static_cast<int>(i);
    while (k < power) factorial *= ++k;
    c[i] = (i % 2 == 0 ? 1 : -1) / factorial;
  }
  return c;
}();

/// By Taylor series after taking off the nearest multiple of pi/2, in three parts. Absolute error
/// below 4e-16 + |x| 1.2e-16 for |x| < 1e9. Beyond 1e15, where neighbouring doubles are a good part
/// of a turn apart, the angle counts as 0.
[[gnu::always_inline]] inline SineCosine SinCos(double angle) {
  // pi/2 in parts; the first two have zeros at the end, so that products with n < 2^20 are exact.
  constexpr double kHigh = 1.57079632673412561417e+00, kMiddle = 6.07710050630396597660e-11,
                   kLow = 2.02226624879595063154e-21;
  constexpr double kShifter = Float<double>::kShifter;
  const double x = angle > -1e15 && angle < 1e15 ? angle : 0;
  const double shifted = x * (2 / std::numbers::pi) + kShifter;
  const double n = shifted - kShifter;
  const double r = ((x - n * kHigh) - n * kMiddle) - n * kLow;
  const double square = r * r;
  const double sine = r * Polynomial(kCircularSeries<1>, square);
  const double cosine = Polynomial(kCircularSeries<0>, square);
  const int64_t quadrant = std::bit_cast<int64_t>(shifted);
  const bool odd = (quadrant & 1) != 0;
  const double s = odd ? cosine : sine, c = odd ? sine : cosine;
  return {(quadrant & 2) != 0 ? -s : s, ((quadrant + 1) & 2) != 0 ? -c : c};
}

}  // namespace ssm::kernels
