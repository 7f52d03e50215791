#include "ssm/kernels/elementary.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace ssm::kernels {
namespace {

constexpr int kPoints = 200000;

/// |got - want| in units in the last place of `want`.
template <class T>
double Ulps(T got, long double want) {
  const T magnitude = std::abs(static_cast<T>(want));
  const T unit = std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
  return static_cast<double>(std::abs(static_cast<long double>(got) - want) / unit);
}

/// The largest error over [low, high], every third point scaled towards 0 by up to 10^-13. `share`
/// of x divides the error: 1, or the bound's growth.
template <class T, class F, class Reference, class Growth>
double Worst(T low, T high, F f, Reference reference, Growth growth) {
  double worst = 0;
  for (int i = 0; i <= kPoints; ++i) {
    T x = low + (high - low) * static_cast<T>(i) / kPoints;
    if (i % 3 == 0) x *= static_cast<T>(std::pow(10.0, -(i % 40) / 3.0));
    const long double want = reference(static_cast<long double>(x));
    if (std::abs(want) < 4 * std::numeric_limits<T>::min()) {
      CHECK(std::abs(f(x)) <= 4 * std::numeric_limits<T>::min());
    } else {
      worst = std::max(worst, Ulps(f(x), want) / growth(static_cast<double>(x)));
    }
  }
  return worst;
}

template <class T>
constexpr T kRange = std::is_same_v<T, float> ? 88 : 709;

constexpr auto kFlat = [](double) { return 1.0; };

TEST_CASE_TEMPLATE("elementary functions keep their bounds over the whole range", T, float,
                   double) {
  const T range = kRange<T>;
  CHECK(Worst(
            -range, range, Exp<T>, [](long double x) { return std::exp(x); }, kFlat) <= 2);
  CHECK(Worst(
            -range, range, Expm1<T>, [](long double x) { return std::expm1(x); }, kFlat) <= 4);
  CHECK(Worst(
            T{-25}, T{25}, Tanh<T>, [](long double x) { return std::tanh(x); }, kFlat) <= 4);
  CHECK(Worst(
            -range, range, Sigmoid<T>, [](long double x) { return 1 / (1 + std::exp(-x)); },
            kFlat) <= 4);
  CHECK(Worst(
            -range, range, Softplus<T>,
            [](long double x) { return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))); },
            kFlat) <= 4);
}

TEST_CASE_TEMPLATE("the normal law keeps its bounds, far into the tail", T, float, double) {
  const auto cdf = [](T x) { return NormalLaw(x).cdf; };
  const auto reference = [](long double x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; };
  CHECK(Worst(T{0}, T{40}, cdf, reference, kFlat) <= 4);
  CHECK(Worst(T{-37}, T{0}, cdf, reference, [](double x) { return 8 + 2 * x * x; }) <= 1);
}

TEST_CASE_TEMPLATE("infinities give limits, NaN gives NaN", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(Exp(-inf) == 0);
  CHECK(Exp(inf) == inf);
  CHECK(Exp(T{0}) == 1);
  CHECK(Tanh(inf) == 1);
  CHECK(Tanh(-inf) == -1);
  CHECK(std::signbit(Tanh(T{-0.0})));
  CHECK(Sigmoid(-inf) == 0);
  CHECK(Sigmoid(inf) == 1);
  CHECK(Softplus(-inf) == 0);
  CHECK(Softplus(inf) == inf);
  CHECK(NormalLaw(-inf).cdf == 0);
  CHECK(NormalLaw(inf).cdf == 1);
  for (T y : {Exp(nan), Tanh(nan), Sigmoid(nan), Softplus(nan), NormalLaw(nan).cdf}) {
    CHECK(std::isnan(y));
  }
}

}  // namespace
}  // namespace ssm::kernels
