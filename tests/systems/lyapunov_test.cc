#include "ssm/systems/lyapunov.h"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <string>

#include "random_systems.h"
#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;
using testing::RandomMatrix;

double Largest(const MatrixXd& matrix) { return matrix.cwiseAbs().maxCoeff(); }

TEST_CASE("a Lyapunov equation of one number") {
  // x = a^2 x + q and 2 a x + q = 0.
  CHECK(SolveDiscreteLyapunov({{0.5}}, {{3}})(0, 0) == doctest::Approx(4).epsilon(1e-15));
  CHECK(SolveContinuousLyapunov({{-2}}, {{3}})(0, 0) == doctest::Approx(0.75).epsilon(1e-15));
  CHECK(SolveDiscreteLyapunov(Matrix(0, 0), Matrix(0, 0)).rows == 0);
}

TEST_CASE("a Jordan block has the sums that its powers have") {
  // A^k = [a^k, k a^(k-1); 0, a^k], so with Q = diag(0, 1) and r = a^2:
  // X22 = 1/(1-r), X12 = a/(1-r)^2, X11 = (1+r)/(1-r)^3.
  const double a = 0.75, r = a * a, one = 1 - r;
  const Matrix X = SolveDiscreteLyapunov({{a, 1}, {0, a}}, {{0, 0}, {0, 1}});
  CHECK(X(1, 1) == doctest::Approx(1 / one).epsilon(1e-14));
  CHECK(X(0, 1) == doctest::Approx(a / (one * one)).epsilon(1e-14));
  CHECK(X(1, 0) == doctest::Approx(a / (one * one)).epsilon(1e-14));
  CHECK(X(0, 0) == doctest::Approx((1 + r) / (one * one * one)).epsilon(1e-14));
}

TEST_CASE("the linear system of all entries has the same solution, stable or not, any Q") {
  Random random(1, RandomStream::kLaw, 0);
  for (int64_t n : {1, 2, 3, 7}) {
    CAPTURE(n);
    const Matrix A = RandomMatrix(n, n, random), Q = RandomMatrix(n, n, random);
    const MatrixXd a = ToEigen(A), q = ToEigen(Q);
    const MatrixXd one = MatrixXd::Identity(n, n);
    MatrixXd discrete = MatrixXd::Identity(n * n, n * n), continuous(n * n, n * n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        discrete.block(i * n, j * n, n, n) -= a(i, j) * a;
        continuous.block(i * n, j * n, n, n) = a(i, j) * one + (i == j ? 1.0 : 0.0) * a;
      }
    }
    const Eigen::VectorXd known = q.reshaped();
    const MatrixXd X = discrete.partialPivLu().solve(known).reshaped(n, n);
    const MatrixXd Y = continuous.partialPivLu().solve(-known).reshaped(n, n);
    CHECK(Largest(ToEigen(SolveDiscreteLyapunov(A, Q)) - X) < 1e-11 * Largest(X));
    CHECK(Largest(ToEigen(SolveContinuousLyapunov(A, Q)) - Y) < 1e-11 * Largest(Y));
  }
}

TEST_CASE("residuals are rounding for 60 states") {
  Random random(2, RandomStream::kLaw, 0);
  const int64_t n = 60;
  const MatrixXd a = 0.1 * ToEigen(RandomMatrix(n, n, random));
  const MatrixXd b = ToEigen(RandomMatrix(n, 2, random)), q = b * b.transpose();
  const MatrixXd X = ToEigen(SolveDiscreteLyapunov(FromEigen(a), FromEigen(q)));
  CHECK(Largest(a * X * a.transpose() + q - X) < 1e-13 * Largest(X));
  const MatrixXd stable = a - 2 * MatrixXd::Identity(n, n);
  const MatrixXd Y = ToEigen(SolveContinuousLyapunov(FromEigen(stable), FromEigen(q)));
  CHECK(Largest(stable * Y + Y * stable.transpose() + q) < 1e-13 * Largest(q));
}

TEST_CASE("an equation with no unique solution is told with its eigenvalues") {
  try {
    SolveDiscreteLyapunov({{2, 0}, {0, 0.5}}, {{1, 0}, {0, 1}});
    FAIL("solved");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::kBadData);
    CHECK(std::string(error.what()).find("have product 1") != std::string::npos);
  }
  CHECK_THROWS_AS(SolveContinuousLyapunov({{0, 1}, {-1, 0}}, {{1, 0}, {0, 1}}), Error);
}

}  // namespace
}  // namespace ssm
