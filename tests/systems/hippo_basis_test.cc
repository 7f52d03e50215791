#include "ssm/systems/hippo_basis.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "ssm/base/errors.h"
#include "ssm/systems/gauss_legendre.h"

namespace ssm {
namespace {

using enum HippoMeasure;

/// Nodes and weights of [0, end] in panels.
Quadrature Panels(double end, int panels, int nodes) {
  const Quadrature one = GaussLegendre(nodes);
  Quadrature all;
  for (int p = 0; p < panels; ++p) {
    for (size_t k = 0; k < one.nodes.size(); ++k) {
      all.nodes.push_back((p + one.nodes[k]) * end / panels);
      all.weights.push_back(one.weights[k] * end / panels);
    }
  }
  return all;
}

/// Nodes and weights of [0, end^2] in panels of the root of age: Laguerre functions oscillate ever
/// faster towards age 0, but evenly in its root.
Quadrature RootPanels(double end, int panels, int nodes) {
  Quadrature rule = Panels(end, panels, nodes);
  for (size_t k = 0; k < rule.nodes.size(); ++k) {
    rule.weights[k] *= 2 * rule.nodes[k];
    rule.nodes[k] *= rule.nodes[k];
  }
  return rule;
}

double Inner(const Matrix& basis, const Quadrature& rule, int64_t i, int64_t j,
             const std::function<double(double)>& weight) {
  double sum = 0;
  for (size_t k = 0; k < rule.nodes.size(); ++k) {
    const int64_t row = static_cast<int64_t>(k);
    sum += rule.weights[k] * weight(rule.nodes[k]) * basis(row, i) * basis(row, j);
  }
  return sum;
}

double One(double) { return 1; }

TEST_CASE("windows' functions are orthonormal, LMU's orthogonal") {
  const Quadrature rule = Panels(1, 4, 20);
  for (HippoMeasure measure : {kLegS, kLegT, kLegTHalved, kLmu, kFouT}) {
    CAPTURE(NameOf(measure));
    const Matrix basis = HippoBasis({measure, 12}, rule.nodes);
    for (int64_t i = 0; i < 12; ++i) {
      for (int64_t j = 0; j < 12; ++j) {
        double expected = i == j ? 1 : 0;
        if (measure == kLmu) expected /= static_cast<double>(2 * i + 1);
        if (measure == kFouT && i == 1) expected = 0;
        CHECK(std::abs(Inner(basis, rule, i, j, One) - expected) < 1e-13);
      }
    }
  }
}

TEST_CASE("B is the basis at age 0 where B is not normalised otherwise") {
  for (HippoMeasure measure : {kLegS, kLegT, kLagT, kFouT}) {
    CAPTURE(NameOf(measure));
    const Matrix now = HippoBasis({measure, 6}, std::vector<double>{0});
    const HippoPair pair = MakeHippo({measure, 6});
    for (int64_t i = 0; i < 6; ++i) CHECK(now(0, i) == doctest::Approx(pair.B(i, 0)));
  }
}

TEST_CASE("Laguerre's functions are orthonormal far beyond where e^(-s/2) is 0") {
  const int64_t order = 801;  // the last lives on ages up to some 3200
  const Quadrature rule = RootPanels(60, 250, 20);
  const Matrix basis = HippoBasis({kLagT, order}, rule.nodes);
  for (int64_t i : {0, 1, 7, 400, 799, 800}) {
    CAPTURE(i);
    CHECK(Inner(basis, rule, i, i, One) == doctest::Approx(1).epsilon(1e-9));
    CHECK(std::abs(Inner(basis, rule, i, 800, One) - (i == 800 ? 1 : 0)) < 1e-9);
  }
}

TEST_CASE("generalised Laguerre functions are orthogonal in s^-alpha e^(-beta s)") {
  for (double alpha : {-0.5, 0.0, 0.5}) {
    CAPTURE(alpha);
    const double beta = 0.8;
    const Quadrature rule = RootPanels(10, 50, 20);
    const Matrix basis = HippoBasis({kGeneralLagT, 6, alpha, beta}, rule.nodes);
    const double norm = std::tgamma(1 - alpha) * std::pow(beta, alpha - 1);
    const auto weight = [&](double s) { return std::pow(s, -alpha) * std::exp(-beta * s); };
    for (int64_t i = 0; i < 6; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const double expected = i == j ? norm : 0;
        CHECK(std::abs(Inner(basis, rule, i, j, weight) - expected) < 1e-10);
      }
    }
  }
}

TEST_CASE("what a state remembers") {
  const std::vector<double> ages = {0, 0.25, 1};
  const double r1 = std::sqrt(3.0), r2 = std::sqrt(5.0);
  const Matrix c{{1, 0}, {2, 0}, {0, 1}};  // 1 + 2 r_1 x, and r_2 (3 x^2 - 1) / 2, x = 1 - 2 age
  const Matrix legs = Reconstruct({kLegS, 3}, c, ages);
  CHECK(legs(0, 0) == doctest::Approx(1 + 2 * r1));
  CHECK(legs(1, 0) == doctest::Approx(1 + r1));
  CHECK(legs(2, 0) == doctest::Approx(1 - 2 * r1));
  CHECK(legs(1, 1) == doctest::Approx(-r2 / 8));
  // e^-s (1 - 2s + s^2/2) at s = 2: -e^-1.
  const Matrix lagt = Reconstruct({kLagT, 3}, {{0}, {0}, {1}}, std::vector<double>{2});
  CHECK(lagt(0, 0) == doctest::Approx(-std::exp(-1.0)));
  const Matrix fout = Reconstruct({kFouT, 4}, {{0}, {9}, {0}, {1}}, std::vector<double>{0.25});
  CHECK(fout(0, 0) == doctest::Approx(std::numbers::sqrt2));
  CHECK(Reconstruct({kLegS, 3}, c, {}).rows == 0);
}

TEST_CASE("ages that a measure does not have are refused") {
  const auto at = [](const HippoOptions& options, double age) {
    return HippoBasis(options, std::vector<double>{0.5, age});
  };
  CHECK_THROWS_WITH_AS(at({kLegT, 3}, 1.5),
                       "age 1 of 2 is 1.5; an age of legt is a share of its past, 0 to 1", Error);
  CHECK_THROWS_WITH_AS(at({kLagT, 3}, -1), "age 1 of 2 is -1; an age of lagt is a time, 0 or more",
                       Error);
  CHECK_THROWS_AS(at({kLegS, 3}, std::nan("")), Error);
  CHECK_THROWS_AS(at({kGeneralLagT, 3, -0.5, 1}, 0), Error);
  CHECK(at({kLagT, 3}, 1e6)(1, 0) == 0);
}

}  // namespace
}  // namespace ssm
