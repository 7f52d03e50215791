#include "ssm/statistics/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ssm {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kTwoPi = 6.283185307179586476925286766559;

double NormalDensity(double x) { return std::exp(-0.5 * x * x) / std::sqrt(kTwoPi); }

/// ln Gamma(z) - [(z - 1/2) ln z - z + ln(2 pi) / 2]: Binet's series from 16 on, recursion below.
double StirlingError(double z) {
  double below = 0;
  for (; z < 16; z += 1) below += (z + 0.5) * std::log1p(1 / z) - 1;
  constexpr double kBinet[] = {1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
                               1.0 / 1188, -691.0 / 360360.0, 1.0 / 156};
  const double inverse_square = 1 / (z * z);
  double power = 1 / z;
  double sum = 0;
  for (const double c : kBinet) {
    sum += c * power;
    power *= inverse_square;
  }
  return below + sum;
}

/// ln(ratio) - u, u = ratio - 1 given without rounding ratio first. Near 1 without cancellation:
/// 2 atanh(s) - u with s = u / (2 + u), and 2 s - u = -u s.
double LogMinus(double ratio, double u) {
  if (std::fabs(u) > 0.4) return std::log(ratio) - u;
  const double s = u / (2 + u);
  const double square = s * s;
  double power = square;
  double sum = 0;
  for (int k = 3; k <= 27; k += 2) {
    sum += power / k;
    power *= square;
  }
  return s * (2 * sum - u);
}

/// x^a y^b / B(a, b), y = 1 - x. With n = a + b, a ln(x n / a) + b ln(y n / b) is small near the
/// mean, and the linear parts of both logarithms cancel exactly.
double BetaFront(double x, double y, double a, double b) {
  const double n = a + b;
  const double u = (x * b - y * a) / a;
  const double v = -(x * b - y * a) / b;
  const double deviance = a * LogMinus(x * n / a, u) + b * LogMinus(y * n / b, v);
  const double stirling = StirlingError(n) - StirlingError(a) - StirlingError(b);
  return std::sqrt(a * b / (kTwoPi * n)) * std::exp(deviance + stirling);
}

/// The continued fraction of DiDonato & Morris 1992 (ACM Trans. Math. Softw. 18:360, eq. 9), by
/// Lentz's method, for x at or below the mean: `excess` = a - (a + b) x >= 0. Its terms hold no
/// difference of near equals, however large a is.
double BetaFraction(double x, double y, double a, double b, double excess) {
  constexpr double kTiny = 1e-300;
  const auto beta = [&](double n) {
    return n + n * (b - n) * x / (a + 2 * n - 1) +
           (a + n) / (a + 2 * n + 1) * (excess + 1 + n * (1 + y));
  };
  double f = a / (a + 1) * (excess + 1);
  double c = f;
  double d = 0;
  for (double n = 1; n < 1e7; n += 1) {
    const double ratio = x / (a + 2 * n - 1);
    const double alpha = (a + n - 1) * (a + b + n - 1) * n * (b - n) * ratio * ratio;
    const double term = beta(n);
    d = term + alpha * d;
    d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
    c = term + alpha / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    f *= c * d;
    if (std::fabs(c * d - 1) < 4e-16) break;
  }
  return 1 / f;
}

/// I_x(a, b) with x and y = 1 - x both given, so that neither end loses digits.
double BetaBoth(double x, double y, double a, double b) {
  if (!(x > 0)) return 0;
  if (!(y > 0)) return 1;
  const double front = BetaFront(x, y, a, b);
  const double excess = a * y - b * x;
  if (excess >= 0) return front * BetaFraction(x, y, a, b, excess);
  return 1 - front * BetaFraction(y, x, b, a, -excess);
}

/// The root of an increasing f on [low, high], f(low) <= 0 <= f(high): Newton where the slope
/// helps, halving where it does not.
template <class F, class Slope>
double Root(double low, double high, double x, F f, Slope slope) {
  for (int i = 0; i < 400; ++i) {
    const double value = f(x);
    if (value == 0) return x;
    (value < 0 ? low : high) = x;
    double next = x - value / slope(x);
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    if (next == x || std::fabs(next - x) <= 1e-16 * std::fabs(x)) return next;
    x = next;
  }
  return x;
}

double StudentDensity(double t, double dof) {
  // t density = front of I_y(1/2, dof/2) at y = t^2 / (dof + t^2), by the chain rule, free of its
  // zero at t = 0.
  const double n = (dof + 1) / 2;
  const double log_ratio = (n - 0.5) * std::log(n) - (dof / 2 - 0.5) * std::log(dof / 2) - 0.5 +
                           StirlingError(n) - StirlingError(dof / 2);
  return std::exp(log_ratio - n * std::log1p(t * t / dof)) / std::sqrt(dof * kTwoPi / 2);
}

}  // namespace

double NormalCdf(double x) { return 0.5 * std::erfc(-x * kSqrtHalf); }

double NormalQuantile(double p) {
  if (!(p >= 0 && p <= 1)) return kNaN;
  if (p == 0) return -kInf;
  if (p == 1) return kInf;
  if (p > 0.5) return -NormalQuantile(1 - p);
  const double t = std::sqrt(-2 * std::log(p));
  double x = -(t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t)));
  for (int i = 0; i < 3; ++i) {
    const double step = (NormalCdf(x) - p) / NormalDensity(x);
    x -= step / (1 + 0.5 * x * step);
  }
  return x;
}

double BetaCdf(double x, double a, double b) {
  if (!(a > 0 && b > 0) || std::isnan(x)) return kNaN;
  return BetaBoth(x, 1 - x, a, b);
}

double BetaQuantile(double p, double a, double b) {
  if (!(p >= 0 && p <= 1) || !(a > 0 && b > 0)) return kNaN;
  if (p == 0 || p == 1) return p;
  const auto f = [&](double x) { return BetaCdf(x, a, b) - p; };
  const auto slope = [&](double x) { return BetaFront(x, 1 - x, a, b) / (x * (1 - x)); };
  return Root(0, 1, a / (a + b), f, slope);
}

double StudentCdf(double t, double dof) {
  if (!(dof > 0) || std::isnan(t)) return kNaN;
  if (std::isinf(dof)) return NormalCdf(t);
  if (std::isinf(t)) return t > 0 ? 1 : 0;
  const double square = t * t;
  const double tail = 0.5 * BetaBoth(dof / (dof + square), square / (dof + square), dof / 2, 0.5);
  return t > 0 ? 1 - tail : tail;
}

double StudentQuantile(double p, double dof) {
  if (!(p >= 0 && p <= 1) || !(dof > 0)) return kNaN;
  if (std::isinf(dof)) return NormalQuantile(p);
  if (p == 0) return -kInf;
  if (p == 1) return kInf;
  if (p == 0.5) return 0;
  if (p > 0.5) return -StudentQuantile(1 - p, dof);
  double low = -1;
  while (StudentCdf(low, dof) > p && low > -1e300) low *= 2;
  const double start = std::max(low, NormalQuantile(p));
  return Root(
      low, 0, start, [&](double t) { return StudentCdf(t, dof) - p; },
      [&](double t) { return StudentDensity(t, dof); });
}

double BinomialCdf(double k, double n, double p) {
  k = std::floor(k);
  if (k < 0) return 0;
  if (k >= n) return 1;
  return BetaBoth(1 - p, p, n - k, k + 1);
}

}  // namespace ssm
