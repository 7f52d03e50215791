#include "ssm/systems/hippo_matrices.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <string>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/hippo_basis.h"

namespace ssm {
namespace {

using enum HippoMeasure;

void CheckEqual(const Matrix& found, const Matrix& expected) {
  REQUIRE(found.rows == expected.rows);
  REQUIRE(found.cols == expected.cols);
  for (int64_t i = 0; i < found.rows; ++i) {
    for (int64_t j = 0; j < found.cols; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      CHECK(found(i, j) == doctest::Approx(expected(i, j)).epsilon(1e-15));
    }
  }
}

TEST_CASE("entries of order 3") {
  const double r1 = std::sqrt(3.0), r2 = std::sqrt(5.0), r12 = std::sqrt(15.0);
  const HippoPair legs = MakeHippo({kLegS, 3});
  CheckEqual(legs.A, {{-1, 0, 0}, {-r1, -2, 0}, {-r2, -r12, -3}});
  CheckEqual(legs.B, {{1}, {r1}, {r2}});
  const HippoPair legt = MakeHippo({kLegT, 3});
  CheckEqual(legt.A, {{-1, r1, -r2}, {-r1, -3, r12}, {-r2, -r12, -5}});
  CheckEqual(legt.B, {{1}, {r1}, {r2}});
  const HippoPair lmu = MakeHippo({kLmu, 3});
  CheckEqual(lmu.A, {{-1, -1, -1}, {3, -3, -3}, {-5, 5, -5}});
  CheckEqual(lmu.B, {{1}, {-3}, {5}});
  const HippoPair lagt = MakeHippo({kLagT, 3});
  CheckEqual(lagt.A, {{-0.5, 0, 0}, {-1, -0.5, 0}, {-1, -1, -0.5}});
  CheckEqual(lagt.B, {{1}, {1}, {1}});
  const HippoPair glagt = MakeHippo({kGeneralLagT, 3, 0, 1});
  CheckEqual(glagt.A, {{-1, 0, 0}, {-1, -1, 0}, {-1, -1, -1}});
  CheckEqual(glagt.B, {{1}, {1}, {1}});
}

TEST_CASE("FouT of order 4") {
  const double r = std::numbers::sqrt2, pi = std::numbers::pi;
  const HippoPair fout = MakeHippo({kFouT, 4});
  CheckEqual(fout.A, {{-1, 0, -r, 0}, {0, 0, 0, 0}, {-r, 0, -2, -pi}, {0, 0, pi, 0}});
  CheckEqual(fout.B, {{1}, {0}, {r}, {0}});
}

TEST_CASE("a constant stays e_0 in every measure that does not fade") {
  for (HippoMeasure measure : {kLegS, kLegT, kLegTHalved, kLmu, kFouT}) {
    CAPTURE(NameOf(measure));
    const HippoPair pair = MakeHippo({measure, 8});
    for (int64_t i = 0; i < 8; ++i) CHECK(std::abs(pair.A(i, 0) + pair.B(i, 0)) < 1e-14);
  }
}

TEST_CASE("the halved window is half the pair, and LMU's is LegT's in another scale") {
  const HippoPair whole = MakeHippo({kLegT, 5}), half = MakeHippo({kLegTHalved, 5});
  const HippoPair lmu = MakeHippo({kLmu, 5});
  const auto scale = [](int64_t i) { return std::sqrt(2.0 * double(i) + 1) * (i % 2 ? -1 : 1); };
  for (int64_t i = 0; i < 5; ++i) {
    CHECK(half.B(i, 0) == whole.B(i, 0) / 2);
    CHECK(lmu.B(i, 0) == doctest::Approx(scale(i) * whole.B(i, 0)));
    for (int64_t j = 0; j < 5; ++j) {
      CHECK(half.A(i, j) == whole.A(i, j) / 2);
      CHECK(lmu.A(i, j) == doctest::Approx(scale(i) * whole.A(i, j) / scale(j)));
    }
  }
}

/// (s I - A)^-1 B: the state that an input e^(st) sustains.
Eigen::VectorXd Sustained(const HippoPair& pair, double s) {
  const Eigen::MatrixXd A = ToEigen(pair.A);
  return (s * Eigen::MatrixXd::Identity(A.rows(), A.cols()) - A)
      .partialPivLu()
      .solve(ToEigen(pair.B));
}

TEST_CASE("LegS projects powers of time as integrals say") {
  // f = t^p has c = t^p v with p v = A v + B; v_i = r_i times the integral of x^p P_i(2x - 1),
  // which by Rodrigues' formula is p (p-1) ... (p-i+1) / ((p+1) ... (p+i+1)).
  const double p = 2.5;
  const Eigen::VectorXd v = Sustained(MakeHippo({kLegS, 7}), p);
  double integral = 1 / (p + 1);
  for (int i = 0; i < 7; ++i) {
    CHECK(v[i] == doctest::Approx(std::sqrt(2 * i + 1.0) * integral).epsilon(1e-12));
    integral *= (p - i) / (p + i + 2);
  }
}

TEST_CASE("LegT's oldest age is the Pade approximant of the delay") {
  // [1/2] of e^-s.
  for (double s : {0.3, 2.0, 11.0}) {
    CAPTURE(s);
    const double pade = (6 - 2 * s) / (6 + 4 * s + s * s);
    for (HippoMeasure measure : {kLegT, kLegTHalved, kLmu}) {
      CAPTURE(NameOf(measure));
      const Eigen::VectorXd c = Sustained(MakeHippo({measure, 2}), s / WindowLength(measure));
      const Matrix oldest = HippoBasis({measure, 2}, std::vector<double>{1});
      CHECK(oldest(0, 0) * c[0] + oldest(0, 1) * c[1] == doctest::Approx(pade).epsilon(1e-13));
    }
  }
}

TEST_CASE("LagT projects exponentials as Laplace transforms say") {
  // The transform of L_n^(alpha) at p is sum_m binom(n-m+alpha-1, n-m) (p-1)^m / p^(m+1).
  const double alpha = 0.4, beta = 0.7, s = 0.35, p = s + (1 + beta) / 2;
  const Eigen::VectorXd c = Sustained(MakeHippo({kGeneralLagT, 6, alpha, beta}), s);
  const double zeta = std::tgamma(1 - alpha) * std::pow(beta, alpha - 1);
  for (int n = 0; n < 6; ++n) {
    double transform = 0, binomial = 1;
    for (int k = 0; k <= n; ++k) {  // k = n - m
      if (k > 0) binomial *= (k + alpha - 1) / k;
      transform += binomial * std::pow(p - 1, n - k) / std::pow(p, n - k + 1);
    }
    const double norm = std::sqrt(std::tgamma(n + alpha + 1) / std::tgamma(n + 1));
    CHECK(c[n] == doctest::Approx(transform / norm / std::sqrt(zeta)).epsilon(1e-12));
  }
  // alpha = beta = 0: (s - 1/2)^n / (s + 1/2)^(n+1).
  const Eigen::VectorXd plain = Sustained(MakeHippo({kLagT, 6}), s);
  for (int n = 0; n < 6; ++n) {
    CHECK(plain[n] == doctest::Approx(std::pow(s - 0.5, n) / std::pow(s + 0.5, n + 1)));
  }
}

TEST_CASE("FouT turns a harmonic of its window without error") {
  const HippoPair pair = MakeHippo({kFouT, 8});
  const double angle = 0.83, w = 2 * std::numbers::pi;  // k = 2
  const double r = 1 / std::numbers::sqrt2;
  for (int64_t i = 0; i < 8; ++i) {
    CAPTURE(i);
    const double change = pair.A(i, 4) * r * std::cos(angle) + pair.A(i, 5) * r * std::sin(angle) +
                          pair.B(i, 0) * std::cos(angle);
    const double expected = i == 4   ? -w * r * std::sin(angle)
                            : i == 5 ? w * r * std::cos(angle)
                                     : 0;
    CHECK(change == doctest::Approx(expected).epsilon(1e-13));
  }
}

TEST_CASE("every fault of the options is told") {
  CHECK(FaultsOf(HippoOptions{kGeneralLagT, 0, 1, -2}) ==
        std::vector<std::string>{
            "order is 0; it is 1 to 4096", "alpha is 1; it lies between -1 and 1",
            "beta is -2; it is above 0 and finite; beta = 0 is the measure lagt"});
  CHECK(FaultsOf(HippoOptions{kFouT, 7}).size() == 1);
  CHECK(FaultsOf(HippoOptions{kLegS, 7, 5, -5}).empty());
  CHECK(
      FaultsOf(HippoOptions{kGeneralLagT, 7, std::numeric_limits<double>::quiet_NaN(), 1}).size() ==
      1);
  CHECK_THROWS_WITH_AS(
      MakeHippo({kFouT, 7}),
      "HiPPO fout: order is 7; fout has a cosine and a sine for each frequency, so "
      "give an even one",
      Error);
}

TEST_CASE("every measure has a name of its own and a smallest order") {
  std::set<std::string> names;
  for (HippoMeasure measure : HippoMeasures()) {
    names.insert(NameOf(measure));
    const int64_t least = measure == kFouT ? 2 : 1;
    CHECK(MakeHippo({measure, least}).A.rows == least);
  }
  CHECK(names.size() == 7);
}

}  // namespace
}  // namespace ssm
