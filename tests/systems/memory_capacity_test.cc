#include "ssm/systems/memory_capacity.h"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <string>

#include "random_systems.h"
#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;
using testing::MatrixWithPoles;
using testing::RandomMatrix;
using testing::RandomPoles;

double SumOf(const Matrix& by_lag) {
  double sum = 0;
  for (const double value : by_lag.values) sum += value;
  return sum;
}

DiscreteSystem StatesOnly(Matrix A, Matrix B) {
  const int64_t n = A.rows, m = B.cols;
  return {std::move(A), std::move(B), Matrix(1, n), Matrix(1, m)};
}

/// HiPPO-LegS over `window` steps by the bilinear rule, from its definition.
DiscreteSystem LegsSystem(int64_t n, double window) {
  MatrixXd A(n, n), B(n, 1);
  for (int64_t i = 0; i < n; ++i) {
    B(i, 0) = std::sqrt(static_cast<double>(2 * i + 1));
    for (int64_t j = 0; j < n; ++j) {
      const double both = std::sqrt(static_cast<double>((2 * i + 1) * (2 * j + 1)));
      A(i, j) = i > j ? -both : (i == j ? -static_cast<double>(i + 1) : 0.0);
    }
  }
  const MatrixXd one = MatrixXd::Identity(n, n), half = A / (2 * window);
  const Eigen::PartialPivLU<MatrixXd> left(one - half);
  return StatesOnly(FromEigen(left.solve(one + half)), FromEigen(left.solve(B / window)));
}

TEST_CASE("a shift register recalls its length and no more") {
  const int64_t n = 7;
  Matrix A(n, n), B(n, 1);
  B(0, 0) = 3;
  for (int64_t i = 1; i < n; ++i) A(i, i - 1) = 2;
  const MemoryCapacity capacity = MemoryCapacityOf(StatesOnly(A, B), 10);
  CHECK(capacity.total == 7);
  for (int64_t k = 0; k < 10; ++k) {
    CHECK(capacity.by_lag(k, 0) == doctest::Approx(k < n ? 1 : 0).epsilon(1e-14));
  }
}

TEST_CASE("one real pole recalls (1 - a^2) a^2k") {
  for (double a : {0.0, -0.3, 0.9, 0.999}) {
    CAPTURE(a);
    const MemoryCapacity capacity = MemoryCapacityOf(StatesOnly({{a}}, {{-5}}), 50);
    CHECK(capacity.total == 1);
    for (int64_t k = 0; k < 50; ++k) {
      const double expected = (1 - a * a) * std::pow(a * a, static_cast<double>(k));
      CHECK(capacity.by_lag(k, 0) == doctest::Approx(expected).epsilon(1e-13));
    }
  }
}

TEST_CASE("per-lag values are those of the covariance, inverted") {
  for (int64_t inputs : {1, 2, 8}) {
    CAPTURE(inputs);
    Random random(3, RandomStream::kLaw, 3);
    const Matrix A = MatrixWithPoles(RandomPoles(2, 1, 0.3, 0.9, random), random);
    const Matrix B = RandomMatrix(5, inputs, random);
    const MatrixXd a = ToEigen(A);
    for (double noise : {0.0, 0.7}) {
      CAPTURE(noise);
      MatrixXd S = noise * noise * MatrixXd::Identity(5, 5), g = ToEigen(B);
      double trace = 0;
      for (int k = 0; k < 1000; ++k, g = a * g) S += g * g.transpose();
      const Eigen::LLT<MatrixXd> inverse(S);
      const MemoryCapacity capacity = MemoryCapacityOf(StatesOnly(A, B), 400, noise);
      g = ToEigen(B);
      for (int64_t k = 0; k < 400; ++k, g = a * g) {
        const MatrixXd solved = inverse.solve(g);
        for (int64_t j = 0; j < inputs; ++j) {
          const double expected = g.col(j).dot(solved.col(j));
          CHECK(std::abs(capacity.by_lag(k, j) - expected) < 1e-12);
          trace += expected;
        }
      }
      CHECK(capacity.total == doctest::Approx(trace).epsilon(1e-12));
      if (noise > 0) CHECK(capacity.total < 5);
    }
  }
}

TEST_CASE("P4: the capacities of all lags add up to the number of states") {
  SUBCASE("random poles") {
    Random random(5, RandomStream::kLaw, 3);
    for (int64_t pairs : {1, 4, 12}) {
      const Matrix A = MatrixWithPoles(RandomPoles(pairs, 1, 0.2, 0.95, random), random);
      const auto n = static_cast<double>(A.rows);
      const MemoryCapacity capacity =
          MemoryCapacityOf(StatesOnly(A, RandomMatrix(A.rows, 1, random)), 2000);
      CHECK(capacity.total == n);
      CHECK(std::abs(SumOf(capacity.by_lag) - n) < 1e-10 * n);
    }
  }
  SUBCASE("LegS, whose covariance is near singular") {
    for (int64_t n : {8, 32, 64}) {
      CAPTURE(n);
      const MemoryCapacity capacity = MemoryCapacityOf(LegsSystem(n, 200), 5000);
      CHECK(capacity.total == static_cast<double>(n));
      CHECK(std::abs(SumOf(capacity.by_lag) - static_cast<double>(n)) <
            1e-6 * static_cast<double>(n));
    }
  }
  SUBCASE("LegS lag by lag: only its poles count, -(i + 1) / window by the bilinear rule") {
    const int64_t n = 64;
    Matrix A(n, n), B(n, 1);
    for (int64_t i = 0; i < n; ++i) {
      const double half = static_cast<double>(i + 1) / 400;
      A(i, i) = (1 - half) / (1 + half);
      B(i, 0) = 1;
    }
    const Matrix one = MemoryCapacityOf(LegsSystem(n, 200), 400).by_lag;
    const Matrix other = MemoryCapacityOf(StatesOnly(A, B), 400).by_lag;
    for (int64_t k = 0; k < 400; ++k) CHECK(std::abs(one(k, 0) - other(k, 0)) < 1e-12);
  }
  SUBCASE("16 real poles close together: a covariance of condition 1e30") {
    const int64_t n = 16;
    Matrix A(n, n), B(n, 1);
    for (int64_t i = 0; i < n; ++i) {
      A(i, i) = 0.9 + 0.004 * static_cast<double>(i);
      B(i, 0) = 1;
    }
    const MemoryCapacity capacity = MemoryCapacityOf(StatesOnly(A, B), 4000);
    CHECK(capacity.total == 16);
    CHECK(std::abs(SumOf(capacity.by_lag) - 16) < 1e-6 * 16);
  }
}

TEST_CASE("P4: states of diagonal systems count, however close their poles") {
  // Real poles as in S4D-Real, and pairs: their covariance has no digit left.
  for (int64_t n : {32, 64, 128}) {
    CAPTURE(n);
    Matrix A(n, n), B(n, 1), pairs(n, n);
    for (int64_t i = 0; i < n; ++i) {
      A(i, i) = 0.9 * static_cast<double>(i + 1) / static_cast<double>(n);
      B(i, 0) = 1;
      if (i % 2 == 0) {
        const std::complex<double> pole =
            std::polar(0.9, 3.0 * static_cast<double>(i + 1) / static_cast<double>(n));
        pairs(i, i) = pairs(i + 1, i + 1) = pole.real();
        pairs(i, i + 1) = pole.imag();
        pairs(i + 1, i) = -pole.imag();
      }
    }
    for (const Matrix& system : {A, pairs}) {
      const MemoryCapacity capacity = MemoryCapacityOf(StatesOnly(system, B), 3000);
      CHECK(capacity.total == static_cast<double>(n));
      CHECK(std::abs(SumOf(capacity.by_lag) - static_cast<double>(n)) <
            1e-6 * static_cast<double>(n));
    }
  }
}

TEST_CASE("modes that inputs do not reach do not count, in any coordinates") {
  for (int64_t inputs : {1, 2}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      CAPTURE(inputs);
      CAPTURE(seed);
      // [A1 X; 0 A2] with B2 = 0: the last three states never move. Then turned.
      Random random(300 + seed, RandomStream::kLaw, static_cast<uint64_t>(inputs));
      const MatrixXd first = ToEigen(MatrixWithPoles(RandomPoles(2, 1, 0.3, 0.9, random), random));
      const MatrixXd last = ToEigen(MatrixWithPoles(RandomPoles(1, 1, 0.3, 0.9, random), random));
      MatrixXd A = MatrixXd::Zero(8, 8), B = MatrixXd::Zero(8, inputs);
      A.topLeftCorner(5, 5) = first;
      A.bottomRightCorner(3, 3) = last;
      A.topRightCorner(5, 3) = ToEigen(RandomMatrix(5, 3, random));
      B.topRows(5) = ToEigen(RandomMatrix(5, inputs, random));
      const Eigen::HouseholderQR<MatrixXd> qr(ToEigen(RandomMatrix(8, 8, random)));
      MatrixXd turn = qr.householderQ() * MatrixXd::Identity(8, 8);
      for (int i = 0; i < 8; ++i) turn.row(i) *= std::exp2(i * i);  // units far apart
      const MemoryCapacity capacity = MemoryCapacityOf(
          StatesOnly(FromEigen(turn * A * turn.inverse()), FromEigen(turn * B)), 1000);
      CHECK(capacity.total == 5);
      CHECK(std::abs(SumOf(capacity.by_lag) - 5) < 1e-9);
    }
  }
}

TEST_CASE("units of a state do not matter, states never reached do not count") {
  const DiscreteSystem tiny =
      StatesOnly({{0.5, 0, 0}, {0, 0.25, 0}, {0, 0, -0.5}}, {{1e-100}, {1e100}, {0}});
  const DiscreteSystem plain = StatesOnly({{0.5, 0}, {0, 0.25}}, {{1}, {1}});
  const MemoryCapacity one = MemoryCapacityOf(tiny, 20), other = MemoryCapacityOf(plain, 20);
  CHECK(one.total == 2);
  for (int64_t k = 0; k < 20; ++k) {
    CHECK(one.by_lag(k, 0) == doctest::Approx(other.by_lag(k, 0)).epsilon(1e-13));
  }
  // Two states with one pole and one input always agree: they hold one number.
  CHECK(MemoryCapacityOf(StatesOnly({{0.3, 0}, {0, 0.3}}, {{1}, {2}}), 5).total == 1);
  const Matrix between{{0.3, 0, 0}, {0, 0.5, 0}, {0, 0, 0.3}};
  CHECK(MemoryCapacityOf(StatesOnly(between, {{1}, {2}, {3}}), 5).total == 2);
  CHECK(MemoryCapacityOf(StatesOnly(between, {{1, 0}, {2, 0}, {3, 1}}), 5).total == 3);
  CHECK(MemoryCapacityOf(StatesOnly(Matrix(0, 0), Matrix(0, 1)), 5).total == 0);
}

TEST_CASE("noise without end leaves nothing, and an unstable system has no capacity") {
  const DiscreteSystem system = StatesOnly({{0.5, 0.1}, {0, 0.25}}, {{1}, {1}});
  CHECK(MemoryCapacityOf(system, 5, 1e12).total < 1e-20);
  CHECK(MemoryCapacityOf(system, 5, 1e-9).total == doctest::Approx(2).epsilon(1e-12));
  CHECK_THROWS_AS(MemoryCapacityOf(StatesOnly({{1}}, {{1}}), 5), Error);
}

TEST_CASE("capacity does not depend on the scale of B") {
  for (const double b : {1e-300, 1e-160, 1e160, 1e300}) {
    CAPTURE(b);
    const DiscreteSystem system{{{0.5, 0.1}, {0, -0.3}}, {{b}, {2 * b}}, {{1, 0}}, {{0}}};
    const DiscreteSystem unit{{{0.5, 0.1}, {0, -0.3}}, {{1}, {2}}, {{1, 0}}, {{0}}};
    const MemoryCapacity scaled = MemoryCapacityOf(system, 4), plain = MemoryCapacityOf(unit, 4);
    const MemoryCapacity noisy = MemoryCapacityOf(system, 4, 0.3 * b),
                         plain_noisy = MemoryCapacityOf(unit, 4, 0.3);
    CHECK(scaled.total == 2);
    CHECK(noisy.total == doctest::Approx(plain_noisy.total).epsilon(1e-12));
    for (int64_t k = 0; k < 4; ++k) {
      CHECK(scaled.by_lag(k, 0) == doctest::Approx(plain.by_lag(k, 0)).epsilon(1e-12));
      CHECK(noisy.by_lag(k, 0) == doctest::Approx(plain_noisy.by_lag(k, 0)).epsilon(1e-12));
    }
  }
}

}  // namespace
}  // namespace ssm
