#include "ssm/kernels/norm.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/numbers.h"

namespace ssm::kernels {
namespace {

TEST_CASE("layer norm of a known row") {
  // Mean 2, variance 2: (x - 2) / sqrt(2 + 1e-5).
  const double x[3] = {2 - std::sqrt(3.0), 2, 2 + std::sqrt(3.0)}, weight[3] = {1, 2, 3},
               bias[3] = {0, 1, 0};
  double y[3], mean, rstd;
  LayerNorm(1, 3, x, weight, bias, y, &mean, &rstd);
  CHECK(mean == doctest::Approx(2).epsilon(1e-15));
  CHECK(rstd == doctest::Approx(1 / std::sqrt(2.00001)).epsilon(1e-14));
  CHECK(y[0] == doctest::Approx(-std::sqrt(3.0 / 2.00001)).epsilon(1e-14));
  CHECK(y[1] == doctest::Approx(1).epsilon(1e-14));
  CHECK(y[2] == doctest::Approx(3 * std::sqrt(3.0 / 2.00001)).epsilon(1e-14));
}

TEST_CASE("rms norm of a known row") {
  const double x[2] = {3, 4}, weight[2] = {1, -2};
  double y[2], rstd;
  RmsNorm(1, 2, x, weight, y, &rstd);
  CHECK(rstd == doctest::Approx(1 / std::sqrt(12.50001)).epsilon(1e-14));
  CHECK(y[0] == doctest::Approx(3 / std::sqrt(12.50001)).epsilon(1e-14));
  CHECK(y[1] == doctest::Approx(-8 / std::sqrt(12.50001)).epsilon(1e-14));
}

TEST_CASE_TEMPLATE("constant and zero rows stay finite", T, float, double) {
  const T x[6] = {7, 7, 7, 0, 0, 0}, weight[3] = {1, 1, 1}, bias[3] = {5, 6, 7};
  T y[6];
  LayerNorm<T>(2, 3, x, weight, bias, y, nullptr, nullptr);
  for (int i = 0; i < 6; ++i) CHECK(y[i] == bias[i % 3]);
  RmsNorm<T>(2, 3, x, weight, y, nullptr);
  for (int i = 3; i < 6; ++i) CHECK(y[i] == 0);
}

TEST_CASE("a large common offset does not destroy the variance") {
  const float x[4] = {10000, 10001, 10002, 10003}, weight[4] = {1, 1, 1, 1}, bias[4] = {};
  float y[4];
  LayerNorm<float>(1, 4, x, weight, bias, y, nullptr, nullptr);
  CHECK(y[3] == doctest::Approx(1.5 / std::sqrt(1.25)).epsilon(1e-4));
}

}  // namespace
}  // namespace ssm::kernels
