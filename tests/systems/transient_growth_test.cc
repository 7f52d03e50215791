#include "ssm/systems/transient_growth.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "ssm/systems/discretization.h"
#include "ssm/systems/spectral_norm.h"
#include "support/error_of.h"
#include "systems/random_system.h"

namespace ssm {
namespace {

DiscreteSystem WithA(const Matrix& A) {
  return {A, Matrix(A.rows, 1), Matrix(1, A.rows), Matrix(1, 1)};
}
ContinuousSystem FlowOf(const Matrix& A) {
  return {A, Matrix(A.rows, 1), Matrix(1, A.rows), Matrix(1, 1)};
}

TEST_CASE("a normal matrix follows its eigenvalues") {
  const double c = 0.9 * std::cos(0.4), s = 0.9 * std::sin(0.4);
  const TransientGrowth growth = TransientGrowthOf(WithA({{c, -s}, {s, c}}), 50);
  REQUIRE(growth.norms.size() == 51);
  for (size_t k = 0; k <= 50; ++k) {
    CHECK(growth.norms[k] == doctest::Approx(std::pow(0.9, k)).epsilon(1e-12));
    CHECK(growth.envelope[k] == doctest::Approx(std::pow(0.9, k)).epsilon(1e-12));
  }
  CHECK(growth.peak == 1);
  CHECK(growth.peak_step == 0);
  CHECK(growth.peak_is_final);
}

TEST_CASE("a non-normal matrix grows first, by its closed form") {
  // A^k = r^k [[1, k c / r], [0, 1]], whose norm is r^k (h + sqrt(h^2 + 1)) with h = k c / (2 r).
  const double r = 0.9, c = 3;
  const TransientGrowth growth = TransientGrowthOf(WithA({{r, c}, {0, r}}), 200);
  double peak = 1;
  int64_t peak_step = 0;
  for (int64_t k = 0; k <= 200; ++k) {
    const double h = static_cast<double>(k) * c / (2 * r);
    const double norm = std::pow(r, static_cast<double>(k)) * (h + std::hypot(h, 1));
    CHECK(growth.norms[static_cast<size_t>(k)] == doctest::Approx(norm).epsilon(1e-12));
    if (norm > peak) {
      peak = norm;
      peak_step = k;
    }
  }
  CHECK(growth.peak == doctest::Approx(peak).epsilon(1e-12));
  CHECK(growth.peak_step == peak_step);
  CHECK(growth.radius == 0.9);
  CHECK(growth.peak_is_final);
  CHECK(!TransientGrowthOf(WithA({{r, c}, {0, r}}), 5).peak_is_final);
}

TEST_CASE("a continuous system is followed at its samples") {
  // e^{tA} of [[-1, 50], [0, -2]]: [[e^-t, 50 (e^-t - e^-2t)], [0, e^-2t]]
  const double dt = 0.05;
  const TransientGrowth growth = TransientGrowthOf(FlowOf({{-1, 50}, {0, -2}}), dt, 100);
  for (size_t k = 0; k <= 100; ++k) {
    const double e = std::exp(-dt * static_cast<double>(k));
    CHECK(growth.norms[k] ==
          doctest::Approx(SpectralNorm({{e, 50 * (e - e * e)}, {0, e * e}})).epsilon(1e-12));
    CHECK(growth.envelope[k] == doctest::Approx(e).epsilon(1e-12));
  }
  CHECK(growth.peak > 12);
  CHECK(test::ErrorOf([] { TransientGrowthOf(FlowOf({{-1}}), 0, 3); }).Says("dt is 0"));
}

TEST_CASE("the numerical abscissa is the slope of the norm at the start") {
  CHECK(NumericalAbscissa({{-1, 50}, {0, -2}}) ==
        doctest::Approx(-1.5 + 0.5 * std::sqrt(1 + 2500.0)).epsilon(1e-14));
  CHECK(NumericalAbscissa({{0, 1}, {-1, 0}}) == 0);
  CHECK(std::isinf(NumericalAbscissa(Matrix())));
  const Matrix A = test::RandomMatrix(4, 4, 6);
  const double dt = 1e-6;
  const TransientGrowth growth = TransientGrowthOf(FlowOf(A), dt, 1);
  CHECK((growth.norms[1] - 1) / dt == doctest::Approx(NumericalAbscissa(A)).epsilon(1e-4));
}

TEST_CASE("Kreiss' constant is below the peak, and the peak below e n times a close bound") {
  for (const double c : {0.0, 1.0, 10.0, 1000.0}) {
    CAPTURE(c);
    const DiscreteSystem system = WithA({{0.9, c}, {0, 0.85}});
    const double bound = KreissLowerBound(system);
    const TransientGrowth growth = TransientGrowthOf(system, 300);
    CHECK(bound <= growth.peak * (1 + 1e-12));
    CHECK(growth.peak <= 2 * std::numbers::e * bound * 1.2);  // the grid may miss a fifth
    CHECK(bound >= 1);
  }
  CHECK(std::isinf(KreissLowerBound(WithA({{1.01}}))));
  CHECK(KreissLowerBound(WithA(Matrix())) == 1);
}

TEST_CASE("growth beyond double is infinite, and sizes are checked") {
  const TransientGrowth growth = TransientGrowthOf(WithA({{1e200, 1}, {0, 1}}), 4);
  CHECK(growth.norms[1] == doctest::Approx(1e200));
  for (size_t k = 2; k <= 4; ++k) CHECK(std::isinf(growth.norms[k]));
  CHECK(std::isinf(growth.peak));
  CHECK(growth.peak_step == 2);
  CHECK(!growth.peak_is_final);
  const TransientGrowth start = TransientGrowthOf(WithA({{2}}), 0);
  CHECK(start.norms == std::vector<double>{1});
  CHECK(!start.peak_is_final);
  CHECK(TransientGrowthOf(WithA(Matrix()), 2).norms.size() == 3);
  CHECK(test::ErrorOf([] { TransientGrowthOf(WithA({{2}}), -1); }).Says("-1 steps"));
  CHECK(test::ErrorOf([] { TransientGrowthOf(WithA({{2}}), int64_t{1} << 60); }).code ==
        ExitCode::kRefused);
}

}  // namespace
}  // namespace ssm
