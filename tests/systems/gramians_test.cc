#include "ssm/systems/gramians.h"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <string>

#include "random_systems.h"
#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/lyapunov.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;
using testing::MatrixWithPoles;
using testing::RandomMatrix;
using testing::RandomPoles;

double Largest(const MatrixXd& matrix) { return matrix.cwiseAbs().maxCoeff(); }

DiscreteSystem RandomDiscrete(int64_t m, int64_t p, uint64_t seed) {
  Random random(seed, RandomStream::kLaw, 1);
  const Matrix A = MatrixWithPoles(RandomPoles(2, 2, 0.3, 0.93, random), random);
  return {A, RandomMatrix(A.rows, m, random), RandomMatrix(p, A.rows, random),
          RandomMatrix(p, m, random)};
}

TEST_CASE("discrete Gramians are the sums that define them") {
  for (int64_t inputs : {1, 3, 9}) {  // fewer and more than the 6 states
    CAPTURE(inputs);
    const DiscreteSystem system = RandomDiscrete(inputs, 2, 4);
    const MatrixXd A = ToEigen(system.A), C = ToEigen(system.C);
    MatrixXd g = ToEigen(system.B), o = C;
    MatrixXd reach = MatrixXd::Zero(6, 6), seen = reach;
    double energy = (ToEigen(system.D) + C * g).squaredNorm();
    for (int k = 0; k < 1000; ++k) {
      if (k > 0) energy += (C * g).squaredNorm();
      reach += g * g.transpose();
      seen += o.transpose() * o;
      g = A * g;
      o = o * A;
    }
    CHECK(Largest(ToEigen(ControllabilityGramian(system)) - reach) < 1e-12 * Largest(reach));
    CHECK(Largest(ToEigen(ObservabilityGramian(system)) - seen) < 1e-12 * Largest(seen));
    CHECK(H2Norm(system) == doctest::Approx(std::sqrt(energy)).epsilon(1e-13));
  }
}

TEST_CASE("Hankel singular values are those of the Hankel matrix") {
  const DiscreteSystem system = RandomDiscrete(2, 2, 5);
  const MatrixXd A = ToEigen(system.A);
  const Eigen::Index blocks = 220;  // 0.93^440 is 1e-14
  std::vector<MatrixXd> parameters;
  MatrixXd g = ToEigen(system.B);
  for (Eigen::Index k = 0; k < 2 * blocks; ++k) {
    parameters.emplace_back(ToEigen(system.C) * g);
    g = A * g;
  }
  MatrixXd hankel(2 * blocks, 2 * blocks);
  for (Eigen::Index i = 0; i < blocks; ++i) {
    for (Eigen::Index j = 0; j < blocks; ++j) {
      hankel.block(2 * i, 2 * j, 2, 2) = parameters[static_cast<size_t>(i + j)];
    }
  }
  const Eigen::VectorXd expected = Eigen::BDCSVD<MatrixXd>(hankel).singularValues();
  const std::vector<double> values = HankelSingularValues(system);
  REQUIRE(values.size() == 6);
  for (size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    CHECK(std::abs(values[i] - expected(static_cast<Eigen::Index>(i))) < 1e-12 * expected(0));
  }
}

TEST_CASE("one pole has one Hankel singular value, as close to the limit as a double goes") {
  for (double gap : {0.5, 1e-3, 1e-9, 0x1p-50}) {
    CAPTURE(gap);
    const double pole = 1 - gap;  // exact
    const DiscreteSystem discrete{{{pole}}, {{2}}, {{3}}, {{7}}};
    const double expected = 6 / ((1 - pole) * (1 + pole));
    CHECK(HankelSingularValues(discrete)[0] == doctest::Approx(expected).epsilon(1e-14));
    const ContinuousSystem continuous{{{-gap}}, {{2}}, {{3}}, {{0}}};
    CHECK(HankelSingularValues(continuous)[0] == doctest::Approx(3 / gap).epsilon(1e-14));
    CHECK(H2Norm(continuous) == doctest::Approx(6 / std::sqrt(2 * gap)).epsilon(1e-14));
  }
}

TEST_CASE("continuous Gramians of real poles are Cauchy matrices") {
  // e^(At) b of a diagonal A has entries b_i e^(a_i t), so W_ij = -b_i b_j / (a_i + a_j).
  const int64_t n = 6;
  ContinuousSystem system{Matrix(n, n), Matrix(n, 1), Matrix(1, n), Matrix(1, 1)};
  for (int64_t i = 0; i < n; ++i) {
    system.A(i, i) = -static_cast<double>(i + 1);
    system.B(i, 0) = 1 + 0.5 * static_cast<double>(i);
    system.C(0, i) = i % 2 == 0 ? 1 : -1;
  }
  const Matrix reach = ControllabilityGramian(system), seen = ObservabilityGramian(system);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const auto sum = static_cast<double>(i + j + 2);
      CHECK(reach(i, j) == doctest::Approx(system.B(i, 0) * system.B(j, 0) / sum).epsilon(1e-14));
      CHECK(seen(i, j) == doctest::Approx(system.C(0, i) * system.C(0, j) / sum).epsilon(1e-14));
    }
  }
  system.D(0, 0) = 1e-9;
  CHECK(H2Norm(system) == std::numeric_limits<double>::infinity());
}

TEST_CASE("small Hankel singular values keep their digits") {
  // For A = diag(-a), B = C^T = ones both Gramians are the Cauchy matrix W, so the values are its
  // eigenvalues, and their product is its determinant prod (a_i - a_j)^2 / prod (a_i + a_j). The
  // smallest is 3e-12 of the largest: its square is lost to a Gramian that is formed.
  const std::vector<double> rates{1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5};
  const auto n = static_cast<int64_t>(rates.size());
  ContinuousSystem system{Matrix(n, n), Matrix(n, 1), Matrix(1, n), Matrix(1, 1)};
  double log_determinant = 0;
  for (int64_t i = 0; i < n; ++i) {
    system.B(i, 0) = system.C(0, i) = 1;
    const double a = rates[static_cast<size_t>(i)];
    system.A(i, i) = -a;
    for (int64_t j = 0; j < n; ++j) {
      const double b = rates[static_cast<size_t>(j)];
      log_determinant -= std::log(a + b);
      if (j < i) log_determinant += 2 * std::log(a - b);
    }
  }
  double log_product = 0;
  for (const double value : HankelSingularValues(system)) log_product += std::log(value);
  CHECK(log_product == doctest::Approx(log_determinant).epsilon(1e-5));
}

TEST_CASE("units of the states change the Gramian by those units alone") {
  const DiscreteSystem system = RandomDiscrete(2, 2, 7);
  DiscreteSystem far = system;
  for (int64_t i = 0; i < 6; ++i) {
    const auto unit = [](int64_t k) { return std::exp2(static_cast<double>(10 * k)); };
    for (int64_t j = 0; j < 6; ++j) far.A(i, j) *= unit(i) / unit(j);
    for (int64_t j = 0; j < 2; ++j) {
      far.B(i, j) *= unit(i);
      far.C(j, i) /= unit(i);
    }
  }
  const std::vector<double> one = HankelSingularValues(system), other = HankelSingularValues(far);
  for (size_t i = 0; i < 6; ++i) CHECK(other[i] == doctest::Approx(one[i]).epsilon(1e-11));
  const Matrix W = ControllabilityGramian(system), V = ControllabilityGramian(far);
  for (int64_t i = 0; i < 6; ++i) {
    CHECK(V(i, i) / std::exp2(static_cast<double>(20 * i)) ==
          doctest::Approx(W(i, i)).epsilon(1e-11));
  }
  CHECK(H2Norm(far) == doctest::Approx(H2Norm(system)).epsilon(1e-12));
}

TEST_CASE("Gramians solve the Lyapunov equations") {
  const DiscreteSystem system = RandomDiscrete(1, 1, 6);
  const MatrixXd B = ToEigen(system.B);
  const MatrixXd X = ToEigen(SolveDiscreteLyapunov(system.A, FromEigen(B * B.transpose())));
  CHECK(Largest(ToEigen(ControllabilityGramian(system)) - X) < 1e-12 * Largest(X));
}

TEST_CASE("an unstable system has no Gramian, and the pole is named") {
  const DiscreteSystem discrete{{{0.5, 0}, {0, -1.25}}, {{1}, {1}}, {{1, 1}}, {{0}}};
  try {
    H2Norm(discrete);
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::kBadData);
    CHECK(std::string(error.what()).find("its pole -1.25 has modulus 1.25") != std::string::npos);
  }
  const ContinuousSystem integrator{{{0}}, {{1}}, {{1}}, {{0}}};
  CHECK_THROWS_WITH_AS(HankelSingularValues(integrator),
                       "the system is not stable: its pole 0 has real part 0, and a Gramian exists "
                       "only where every real part is below 0",
                       Error);
}

TEST_CASE("no states, no inputs") {
  const DiscreteSystem gain{Matrix(0, 0), Matrix(0, 1), Matrix(1, 0), {{-2}}};
  CHECK(HankelSingularValues(gain).empty());
  CHECK(H2Norm(gain) == 2);
  const DiscreteSystem silent{{{0.5}}, {{0}}, {{1}}, {{0}}};
  CHECK(HankelSingularValues(silent) == std::vector<double>{0});
}

TEST_CASE("norms do not depend on the scale of B and C") {
  // K_k = b c 0.5^k, the state's variance b^2 / 0.75.
  for (const auto& [b, c] : {std::pair{1e-160, 1.0},
                             {1e-160, 1e160},
                             {1e300, 1e-300},
                             {1e-300, 3},
                             {1e200, 1.0},
                             {1e300, 1e5}}) {
    CAPTURE(b);
    CAPTURE(c);
    const DiscreteSystem system{{{0.5}}, {{b}}, {{c}}, {{0}}};
    CHECK(H2Norm(system) / (b * c) == doctest::Approx(1 / std::sqrt(0.75)).epsilon(1e-14));
    CHECK(HankelSingularValues(system)[0] / (b * c) == doctest::Approx(1 / 0.75).epsilon(1e-14));
    CHECK(StateSpread(system)[0] / b == doctest::Approx(1 / std::sqrt(0.75)).epsilon(1e-14));
    const ContinuousSystem continuous{{{-2}}, {{b}}, {{c}}, {{0}}};
    CHECK(H2Norm(continuous) / (b * c) == doctest::Approx(0.5).epsilon(1e-14));
    CHECK(HankelSingularValues(continuous)[0] / (b * c) == doctest::Approx(0.25).epsilon(1e-14));
  }
  // A slow pole makes large norms of a B and C of 1: they are left as they are.
  CHECK(H2Norm(ContinuousSystem{{{-1e-300}}, {{1}}, {{1}}, {{0}}}) ==
        doctest::Approx(1e150 / std::sqrt(2)).epsilon(1e-13));
  // States in units far apart, as 1 and 1 would be.
  const DiscreteSystem apart{{{0.5, 0}, {0, 0.25}}, {{1e-100}, {1e100}}, {{1e100, 1e-100}}, {{0}}};
  const DiscreteSystem near{{{0.5, 0}, {0, 0.25}}, {{1}, {1}}, {{1, 1}}, {{0}}};
  CHECK(H2Norm(apart) == doctest::Approx(H2Norm(near)).epsilon(1e-13));
  for (size_t i = 0; i < 2; ++i) {
    CHECK(HankelSingularValues(apart)[i] ==
          doctest::Approx(HankelSingularValues(near)[i]).epsilon(1e-12));
  }
  // A large D beside a small C B, and one that alone is beyond the root of double.
  CHECK(H2Norm(DiscreteSystem{{{0.5}}, {{1e-160}}, {{1}}, {{2}}}) == 2);
  CHECK(H2Norm(DiscreteSystem{{{0.5}}, {{1}}, {{1}}, {{-1e200}}}) ==
        doctest::Approx(1e200).epsilon(1e-14));
  CHECK(std::isinf(H2Norm(DiscreteSystem{{{0.5}}, {{1e300}}, {{1e300}}, {{0}}})));
}

}  // namespace
}  // namespace ssm
