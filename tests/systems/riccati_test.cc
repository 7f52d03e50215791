#include "ssm/systems/riccati.h"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>

#include "random_systems.h"
#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;

TEST_CASE("one state in closed form") {
  // P = a^2 P - (a P c)^2 / (c^2 P + r) + q is a quadratic equation.
  for (double a : {0.5, 0.99, 1.0, 1.5}) {
    CAPTURE(a);
    const double c = 2, q = 0.3, r = 0.7;
    const double half = (r * (1 - a * a) - q * c * c) / (2 * c * c);
    const double P = -half + std::sqrt(half * half + q * r / (c * c));
    const StationaryFilter filter = SolveFilterRiccati({{a}}, {{c}}, {{q}}, {{r}}, {{0}});
    CHECK(filter.P(0, 0) == doctest::Approx(P).epsilon(1e-13));
    CHECK(filter.K(0, 0) == doctest::Approx(a * P * c / (c * c * P + r)).epsilon(1e-13));
    CHECK(filter.innovation(0, 0) == doctest::Approx(c * c * P + r).epsilon(1e-13));
  }
}

TEST_CASE("the filter's own recursion comes to the same P, with cross-covariance") {
  Random random(21, RandomStream::kLaw, 6);
  const int64_t n = 5, p = 2;
  const Matrix A = testing::MatrixWithPoles({{0.9, 0.3}, {0.5, 0.0}, {-0.6, 0.5}}, random);
  const MatrixXd a = ToEigen(A), c = ToEigen(testing::RandomMatrix(p, n, random));
  const MatrixXd mix = ToEigen(testing::RandomMatrix(n + p, n + p, random));
  const MatrixXd joint = mix * mix.transpose();
  const MatrixXd q = joint.topLeftCorner(n, n), r = joint.bottomRightCorner(p, p),
                 s = joint.topRightCorner(n, p);
  MatrixXd P = MatrixXd::Zero(n, n), K;
  for (int k = 0; k < 5000; ++k) {
    const MatrixXd innovation = c * P * c.transpose() + r;
    K = (a * P * c.transpose() + s) * innovation.inverse();
    P = a * P * a.transpose() + q - K * innovation * K.transpose();
  }
  const StationaryFilter filter =
      SolveFilterRiccati(A, FromEigen(c), FromEigen(q), FromEigen(r), FromEigen(s));
  CHECK((ToEigen(filter.P) - P).norm() < 1e-11 * P.norm());
  CHECK((ToEigen(filter.K) - K).norm() < 1e-11 * K.norm());
}

TEST_CASE("the noise model of an innovations form is found again") {
  // With w = K e, v = e and a stable A - K C the filter knows the state, so P is 0.
  const Matrix A{{0.8, 0.2}, {-0.3, 0.7}}, C{{1, 0.5}};
  const MatrixXd k{{0.4}, {-0.2}};
  const StationaryFilter filter =
      SolveFilterRiccati(A, C, FromEigen(2 * k * k.transpose()), {{2}}, FromEigen(2 * k));
  CHECK(ToEigen(filter.P).norm() < 1e-14);
  CHECK((ToEigen(filter.K) - k).norm() < 1e-14);
  CHECK(filter.innovation(0, 0) == doctest::Approx(2));
}

TEST_CASE("no filter is refused with a reason") {
  CHECK_THROWS_AS(SolveFilterRiccati({{1.5}}, {{0}}, {{1}}, {{1}}, {{0}}), Error);  // not seen
  CHECK_THROWS_AS(SolveFilterRiccati({{1.5}}, {{1}}, {{0}}, {{1}}, {{0}}), Error);  // not moved
  CHECK_THROWS_AS(SolveFilterRiccati({{0.5}}, {{1}}, {{1}}, {{-1}}, {{0}}), Error);
  CHECK(SolveFilterRiccati(Matrix(0, 0), Matrix(1, 0), Matrix(0, 0), {{3}}, Matrix(0, 1))
            .innovation(0, 0) == 3);
}

}  // namespace
}  // namespace ssm
