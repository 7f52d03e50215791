#include "ssm/systems/gauss_legendre.h"

#include <doctest/doctest.h>

#include <cmath>

namespace ssm {
namespace {

double Integral(const Quadrature& rule, int power) {
  double sum = 0;
  for (size_t k = 0; k < rule.nodes.size(); ++k) {
    sum += rule.weights[k] * std::pow(rule.nodes[k], power);
  }
  return sum;
}

TEST_CASE("n nodes integrate every power below 2n") {
  for (int n : {1, 2, 3, 8, 21, 64, 257}) {
    CAPTURE(n);
    const Quadrature rule = GaussLegendre(n);
    for (int power = 0; power < 2 * n; ++power) {
      CAPTURE(power);
      CHECK(Integral(rule, power) == doctest::Approx(1.0 / (power + 1)).epsilon(1e-12));
    }
  }
  // And the next power not: for one node, the midpoint, 1/4 in place of 1/3.
  CHECK(Integral(GaussLegendre(1), 2) == doctest::Approx(0.25));
}

TEST_CASE("two nodes are 1/2 -+ 1/sqrt(12)") {
  const Quadrature rule = GaussLegendre(2);
  CHECK(rule.nodes[0] == doctest::Approx(0.5 - 1 / std::sqrt(12.0)).epsilon(1e-15));
  CHECK(rule.nodes[1] == doctest::Approx(0.5 + 1 / std::sqrt(12.0)).epsilon(1e-15));
}

TEST_CASE("nodes ascend and weights are positive at the largest order") {
  const Quadrature rule = GaussLegendre(4096);
  double sum = 0;
  for (size_t k = 0; k < rule.nodes.size(); ++k) {
    CHECK(rule.weights[k] > 0);
    CHECK(rule.nodes[k] > (k == 0 ? 0 : rule.nodes[k - 1]));
    sum += rule.weights[k];
  }
  CHECK(rule.nodes.back() < 1);
  CHECK(sum == doctest::Approx(1).epsilon(1e-12));
}

}  // namespace
}  // namespace ssm
