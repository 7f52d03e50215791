#include "ssm/systems/band_limited_noise.h"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// Of one channel over a whole period.
double PowerAt(const Matrix& signal, int64_t channel, int64_t m) {
  std::complex<double> sum = 0;
  for (int64_t t = 0; t < signal.rows; ++t) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(m) * static_cast<double>(t) /
                         static_cast<double>(signal.rows);
    sum += signal(t, channel) * std::polar(1.0, -angle);
  }
  return std::norm(sum) / static_cast<double>(signal.rows);
}

TEST_CASE("power lies below the highest frequency alone") {
  for (int64_t period : {101, 128}) {
    const Matrix signal =
        MakeBandLimitedNoise({.samples = period, .channels = 2, .period = period, .lines = 9});
    for (int64_t channel : {0, 1}) {
      for (int64_t m = 0; m <= period / 2; ++m) {
        CAPTURE(m);
        const double power = PowerAt(signal, channel, m);
        if (m >= 1 && m <= 9) {
          CHECK(power > 1e-6);
        } else {
          CHECK(power < 1e-20);
        }
      }
    }
  }
}

TEST_CASE("its variance is 1 and its lines are even") {
  const int64_t period = 64, channels = 2000;
  const Matrix signal = MakeBandLimitedNoise(
      {.samples = period, .channels = channels, .period = period, .lines = 4, .seed = 9});
  double sum = 0, squares = 0;
  for (const double x : signal.values) {
    sum += x;
    squares += x * x;
  }
  const double n = static_cast<double>(signal.values.size());
  CHECK(std::abs(sum / n) < 1e-12);
  // Each channel's power is a chi-squared variable of 8 degrees over 8: deviation 1/2.
  CHECK(std::abs(squares / n - 1) < 4 * 0.5 / std::sqrt(2000.0));
  double first = 0, last = 0;
  for (int64_t k = 0; k < channels; ++k) {
    first += PowerAt(signal, k, 1);
    last += PowerAt(signal, k, 4);
  }
  // Chi-squared of 2 degrees over 2: deviation 1, mean period / 8.
  CHECK(std::abs(first / 2000 / 8 - 1) < 4 / std::sqrt(2000.0));
  CHECK(std::abs(last / 2000 / 8 - 1) < 4 / std::sqrt(2000.0));
}

TEST_CASE("it repeats after its period; a channel does not depend on how many there are") {
  const Matrix two =
      MakeBandLimitedNoise({.samples = 30, .channels = 2, .period = 11, .lines = 5, .seed = 3});
  const Matrix one =
      MakeBandLimitedNoise({.samples = 12, .channels = 1, .period = 11, .lines = 5, .seed = 3});
  for (int64_t t = 0; t < 12; ++t) CHECK(one(t, 0) == two(t, 0));
  for (int64_t t = 0; t + 11 < 30; ++t) CHECK(two(t, 1) == two(t + 11, 1));
  CHECK(two(0, 0) != two(0, 1));
  const Matrix other = MakeBandLimitedNoise({.samples = 12, .period = 11, .lines = 5, .seed = 4});
  CHECK(other(0, 0) != one(0, 0));
}

TEST_CASE("every field out of its range is told") {
  CHECK_THROWS_WITH_AS(
      MakeBandLimitedNoise({.samples = -1, .channels = 0, .period = 10, .lines = 6}),
      "band-limited noise: samples is -1; it is 0 or more; channels is 0; it is 1 or more; lines "
      "is "
      "6; it is 1 to half of the period of 10",
      Error);
  CHECK(MakeBandLimitedNoise({.samples = 0, .period = 10}).values.empty());
}

}  // namespace
}  // namespace ssm
