// Discretisation against long double and against central differences, for steps of every size.
#include "ssm/kernels/discretize.h"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <vector>

namespace ssm::kernels {
namespace {

using Long = std::complex<long double>;

/// Through its series where e^z - 1 would cancel.
Long Phi1(Long z) {
  if (std::abs(z) > 0.5L) return (std::exp(z) - 1.0L) / z;
  Long sum = 0, term = 1;
  for (int k = 1; k < 30; ++k) {
    sum += term;
    term *= z / static_cast<long double>(k + 1);
  }
  return sum;
}

double Error(double a_re, double a_im, Long expected) {
  const Long ours(a_re, a_im);
  return static_cast<double>(std::abs(ours - expected) / std::abs(expected));
}

const std::vector<std::complex<double>> kPoles = {
    {-0.5, 0}, {-0.5, 3.2}, {-1e-12, 0}, {-1e-9, 1e-7}, {-0.5, 1283.4}, {-40, 1}, {-1e6, 2}};

TEST_CASE("A_bar - 1 and B_bar are right to the last digits") {
  for (const std::complex<double> pole : kPoles) {
    for (const double dt : {1e-9, 1e-3, 0.1, 1.0}) {
      CAPTURE(pole.real());
      CAPTURE(pole.imag());
      CAPTURE(dt);
      const Long z = static_cast<long double>(dt) * Long(pole.real(), pole.imag());
      const DiscreteMode zoh =
          DiscretizeMode(DiscretizationRule::kZoh, dt, pole.real(), pole.imag());
      // dt A is rounded once, and e^z inherits |z| times that.
      const double bound = 1e-15 * (2 + std::abs(dt * pole));
      CHECK(Error(zoh.a_re, zoh.a_im, z * Phi1(z)) < bound);
      CHECK(Error(zoh.b_re, zoh.b_im, static_cast<long double>(dt) * Phi1(z)) < bound);
      const DiscreteMode bilinear =
          DiscretizeMode(DiscretizationRule::kBilinear, dt, pole.real(), pole.imag());
      CHECK(Error(bilinear.a_re, bilinear.a_im, z / (1.0L - z / 2.0L)) < 1e-15);
      CHECK(Error(bilinear.b_re, bilinear.b_im, static_cast<long double>(dt) / (1.0L - z / 2.0L)) <
            1e-15);
    }
  }
}

TEST_CASE("an integrator, and no step at all") {
  for (const DiscretizationRule rule : {DiscretizationRule::kZoh, DiscretizationRule::kBilinear}) {
    const DiscreteMode integrator = DiscretizeMode(rule, 0.3, 0, 0);
    CHECK(integrator.a_re == 0);
    CHECK(integrator.b_re == 0.3);
    const DiscreteMode still = DiscretizeMode(rule, 0, -0.5, 2);
    CHECK(still.a_re == 0);
    CHECK(still.a_im == 0);
    CHECK(still.b_re == 0);
    CHECK(still.b_im == 0);
  }
}

TEST_CASE("a stiff mode forgets under ZOH and rings under the bilinear rule") {
  CHECK(DiscretizeMode(DiscretizationRule::kZoh, 1, -1e8, 0).a_re == -1);
  CHECK(DiscretizeMode(DiscretizationRule::kBilinear, 1, -1e8, 0).a_re ==
        doctest::Approx(-2).epsilon(1e-7));
}

/// sum of the mode's parts, weighted.
double Objective(DiscretizationRule rule, const std::vector<double>& at) {
  const DiscreteMode m = DiscretizeMode(rule, at[0], at[1], at[2]);
  return 0.3 * m.a_re - 1.1 * m.a_im + 0.7 * m.b_re / at[3] + 1.9 * m.b_im / at[3];
}

TEST_CASE("gradients are exact on both sides of the series' switch") {
  for (const DiscretizationRule rule : {DiscretizationRule::kZoh, DiscretizationRule::kBilinear}) {
    for (const std::complex<double> pole :
         {std::complex<double>{-0.5, 3.2}, {-1, 0}, {-2, -40}, {-0.01, 4.9}, {-0.01, 5.1}}) {
      for (const double dt : {0.01, 0.1, 1.0}) {
        CAPTURE(pole.real());
        CAPTURE(pole.imag());
        CAPTURE(dt);
        std::vector<double> at{dt, pole.real(), pole.imag(), dt};
        const ModeGradient g =
            DiscretizeModeBackward(rule, at[0], at[1], at[2], {0.3, -1.1, 0.7 / dt, 1.9 / dt});
        const double gradient[] = {g.dt, g.a_re, g.a_im};
        for (size_t k = 0; k < 3; ++k) {
          const double base = at[k], step = 1e-4 * std::max(std::abs(base), 0.01);
          const auto value = [&](double h) {
            at[k] = base + h;
            const double result = Objective(rule, at);
            at[k] = base;
            return result;
          };
          // Fourth order.
          const double slope =
              (8 * (value(step) - value(-step)) - (value(2 * step) - value(-2 * step))) /
              (12 * step);
          CHECK(gradient[k] == doctest::Approx(slope).epsilon(1e-7));
        }
      }
    }
  }
}

}  // namespace
}  // namespace ssm::kernels
