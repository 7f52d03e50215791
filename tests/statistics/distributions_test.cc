#include "ssm/statistics/distributions.h"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

namespace {

using namespace ssm;  // NOLINT

constexpr double kInf = std::numeric_limits<double>::infinity();

double Relative(double found, double expected) { return std::fabs(found / expected - 1); }

TEST_CASE("normal distribution function keeps its digits in the lower tail") {
  CHECK(NormalCdf(0) == 0.5);
  CHECK(Relative(NormalCdf(1), 0.84134474606854293) < 1e-15);
  CHECK(Relative(NormalCdf(2), 0.97724986805182079) < 1e-15);
  CHECK(Relative(NormalCdf(-5), 2.8665157187919391e-07) < 1e-14);
  CHECK(Relative(NormalCdf(-10), 7.6198530241605261e-24) < 1e-14);
}

TEST_CASE("normal quantile inverts the distribution function") {
  CHECK(Relative(NormalQuantile(0.975), 1.9599639845400545) < 1e-15);
  CHECK(Relative(NormalQuantile(0.995), 2.5758293035489004) < 1e-15);
  CHECK(Relative(NormalQuantile(1e-10), -6.3613409024040562) < 1e-14);
  for (double p = 1e-12; p < 1; p = p < 0.1 ? p * 7 : p + 0.07) {
    CAPTURE(p);
    CHECK(Relative(NormalCdf(NormalQuantile(p)), p) < 1e-13);
  }
  CHECK(NormalQuantile(0) == -kInf);
  CHECK(NormalQuantile(1) == kInf);
  CHECK(std::isnan(NormalQuantile(1.5)));
  CHECK(std::isnan(NormalQuantile(std::nan(""))));
}

TEST_CASE("Student quantiles as tabled") {
  // Closed forms: dof 1 is tan(pi (p - 1/2)), dof 2 is (2p - 1) sqrt(2 / (4 p (1 - p))).
  const double pi = std::acos(-1.0);
  CHECK(Relative(StudentQuantile(0.975, 1), std::tan(pi * 0.475)) < 1e-13);
  CHECK(Relative(StudentQuantile(0.975, 2), 0.95 * std::sqrt(2 / (4 * 0.975 * 0.025))) < 1e-13);
  CHECK(Relative(StudentQuantile(0.975, 5), 2.5705818356363141) < 1e-13);
  CHECK(Relative(StudentQuantile(0.975, 10), 2.2281388519862744) < 1e-13);
  CHECK(Relative(StudentQuantile(0.975, 30), 2.0422724563012373) < 1e-13);
  CHECK(Relative(StudentQuantile(0.975, 100), 1.9839715185235521) < 1e-13);
  CHECK(StudentQuantile(0.5, 7) == 0);
  CHECK(Relative(StudentQuantile(0.025, 4), -StudentQuantile(0.975, 4)) < 1e-14);
  CHECK(StudentQuantile(0.975, kInf) == NormalQuantile(0.975));
}

TEST_CASE("Student distribution function: closed forms and the normal limit") {
  const double pi = std::acos(-1.0);
  for (const double t : {-30.0, -2.0, -0.1, 0.0, 0.1, 2.0, 30.0}) {
    CAPTURE(t);
    CHECK(StudentCdf(t, 1) == doctest::Approx(0.5 + std::atan(t) / pi).epsilon(1e-14));
    CHECK(StudentCdf(t, 2) == doctest::Approx(0.5 + t / (2 * std::sqrt(2 + t * t))).epsilon(1e-14));
    CHECK(std::fabs(StudentCdf(t, 1e12) - NormalCdf(t)) < 1e-12);
    for (const double dof : {0.5, 3.0, 17.0, 39999.0}) {
      const double p = StudentCdf(t, dof);
      if (p > 1e-200 && p < 0.5) CHECK(Relative(StudentQuantile(p, dof), t) < 1e-11);
    }
  }
}

TEST_CASE("incomplete beta: closed forms, symmetry, large parameters") {
  for (const double x : {1e-20, 1e-3, 0.2, 0.5, 0.9, 0.999}) {
    CAPTURE(x);
    CHECK(Relative(BetaCdf(x, 1, 1), x) < 1e-14);
    CHECK(Relative(BetaCdf(x, 3, 1), x * x * x) < 1e-13);
    CHECK(Relative(BetaCdf(x, 0.5, 0.5), 2 / std::acos(-1.0) * std::asin(std::sqrt(x))) < 1e-13);
    CHECK(BetaCdf(x, 2.5, 7) == doctest::Approx(1 - BetaCdf(1 - x, 7, 2.5)).epsilon(1e-14));
  }
  CHECK(BetaCdf(0, 2, 3) == 0);
  CHECK(BetaCdf(1, 2, 3) == 1);
  CHECK(std::fabs(BetaCdf(0.5, 5e6, 5e6) - 0.5) < 1e-13);
  CHECK(std::isnan(BetaCdf(0.5, 0, 1)));
}

TEST_CASE("binomial sums equal their terms") {
  const double n = 23;
  const double p = 0.37;
  double term = std::pow(1 - p, n);
  double sum = 0;
  for (double k = 0; k < n; k += 1) {
    sum += term;
    CHECK(Relative(BinomialCdf(k, n, p), sum) < 1e-13);
    term *= (n - k) / (k + 1) * p / (1 - p);
  }
  CHECK(BinomialCdf(-1, n, p) == 0);
  CHECK(BinomialCdf(23, n, p) == 1);
}

TEST_CASE("beta quantile inverts") {
  for (const double p : {1e-9, 0.025, 0.5, 0.975}) {
    for (const double a : {0.5, 1.0, 40.0, 39000.0}) {
      for (const double b : {1.0, 7.0, 1000.0}) {
        CAPTURE(p);
        CAPTURE(a);
        CAPTURE(b);
        CHECK(std::fabs(BetaCdf(BetaQuantile(p, a, b), a, b) - p) < 1e-12 * (1 + p));
      }
    }
  }
  CHECK(BetaQuantile(0, 2, 3) == 0);
  CHECK(BetaQuantile(1, 2, 3) == 1);
}

}  // namespace
