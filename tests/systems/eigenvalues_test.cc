#include "ssm/systems/eigenvalues.h"

#include <doctest/doctest.h>

#include "ssm/systems/spectral_norm.h"
#include "systems/random_system.h"

namespace ssm {
namespace {

TEST_CASE("triangular matrices have exact eigenvalues") {
  const Eigenvalues upper = EigenvaluesOf({{-1e-30, 1e9}, {0, -1e30}});
  CHECK(upper.rounding == 0);
  CHECK(upper.values == std::vector<std::complex<double>>{-1e-30, -1e30});
  CHECK(EigenvaluesOf({{2, 0}, {7, 3}}).Radius() == 3);
  CHECK(EigenvaluesOf({{2, 0}, {7, 3}}).Abscissa() == 3);
  CHECK(EigenvaluesOf(Matrix()).values.empty());
}

TEST_CASE("a companion matrix has the roots of its polynomial") {
  // (x - 1)(x^2 + 4x + 13): roots 1, -2 +- 3i.
  const Eigenvalues found = EigenvaluesOf({{0, 1, 0}, {0, 0, 1}, {13, -9, -3}});
  REQUIRE(found.values.size() == 3);
  for (const std::complex<double> root : {std::complex<double>(1, 0), {-2, 3}, {-2, -3}}) {
    double nearest = 1;
    for (const auto& value : found.values) nearest = std::min(nearest, std::abs(value - root));
    CHECK(nearest <= 1e-13);
  }
  CHECK(found.Radius() == doctest::Approx(std::sqrt(13.0)).epsilon(1e-14));
  CHECK(found.Abscissa() == doctest::Approx(1).epsilon(1e-13));
  CHECK(found.rounding > 0);
  CHECK(found.rounding < 1e-12);
}

TEST_CASE("eigenvalues scale with their matrix up to the ends of double") {
  for (const double scale : {1e-300, 1e-8, 1e150, 1e300}) {
    CAPTURE(scale);
    const Eigenvalues found = EigenvaluesOf({{scale, scale}, {-scale, scale}});
    CHECK(found.Radius() == doctest::Approx(std::sqrt(2.0) * scale).epsilon(1e-14));
  }
  // Badly scaled, yet an oscillator of 1 rad/s.
  const Eigenvalues graded = EigenvaluesOf({{0, 1e10}, {-1e-10, 0}});
  CHECK(graded.Radius() == doctest::Approx(1).epsilon(1e-15));
  CHECK(std::fabs(graded.Abscissa()) <= graded.rounding);
}

TEST_CASE("symmetric matrices have real eigenvalues") {
  const Eigenvalues found = EigenvaluesOf({{2, 1, 0}, {1, 2, 1}, {0, 1, 2}});
  for (const auto& value : found.values) CHECK(value.imag() == 0);
  CHECK(found.Radius() == doctest::Approx(2 + std::sqrt(2.0)).epsilon(1e-14));
}

TEST_CASE("the spectral norm is the largest singular value") {
  CHECK(SpectralNorm({{3, 0}, {4, 5}}) == doctest::Approx(std::sqrt(45.0)).epsilon(1e-14));
  CHECK(SpectralNorm({{1, 2, 2}}) == doctest::Approx(3).epsilon(1e-14));
  CHECK(SpectralNorm({{1e300, 0}, {0, 1}}) == doctest::Approx(1e300).epsilon(1e-14));
  CHECK(SpectralNorm({{1e-300}}) == doctest::Approx(1e-300).epsilon(1e-14));
  CHECK(SpectralNorm(Matrix(3, 2)) == 0);
  CHECK(SpectralNorm(Matrix()) == 0);
  CHECK(std::isinf(SpectralNorm({{std::nan("")}})));
}

}  // namespace
}  // namespace ssm
