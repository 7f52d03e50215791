#include "ssm/systems/hippo.h"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"

namespace ssm {
namespace {

TEST_CASE("frequencies of LegS's normal part") {
  const std::vector<double> four = LegsNormalFrequencies(4);
  REQUIRE(four.size() == 2);
  CHECK(four[0] == doctest::Approx(0.5565011151).epsilon(1e-9));
  CHECK(four[1] == doctest::Approx(4.6032930071).epsilon(1e-9));

  const std::vector<double> eight = LegsNormalFrequencies(8);
  REQUIRE(eight.size() == 4);
  CHECK(eight[0] == doctest::Approx(0.4274887).epsilon(1e-6));
  CHECK(eight[1] == doctest::Approx(1.9577942).epsilon(1e-7));
  CHECK(eight[2] == doctest::Approx(5.3542085).epsilon(1e-7));
  CHECK(eight[3] == doctest::Approx(19.8574104).epsilon(1e-7));

  const std::vector<double> many = LegsNormalFrequencies(64);
  CHECK(many.front() == doctest::Approx(0.264).epsilon(2e-3));
  CHECK(many.back() == doctest::Approx(1303.27).epsilon(1e-5));
}

TEST_CASE("frequencies of order 2 are sqrt(3) / 2") {
  CHECK(LegsNormalFrequencies(2)[0] == doctest::Approx(0.8660254037844386).epsilon(1e-15));
}

/// Of the matrix itself.
std::vector<double> ByEigenvalues(int64_t order) {
  Eigen::MatrixXcd hermitian = Eigen::MatrixXcd::Zero(order, order);
  for (int64_t i = 0; i < order; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      const double k = -0.5 * std::sqrt(static_cast<double>((2 * i + 1) * (2 * j + 1)));
      hermitian(i, j) = {0, k};
      hermitian(j, i) = {0, -k};
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(hermitian, Eigen::EigenvaluesOnly);
  const auto values = solver.eigenvalues().tail(order / 2);
  return {values.begin(), values.end()};
}

TEST_CASE("the closed equation has the eigenvalues of the matrix for its roots") {
  for (int64_t order : {2, 6, 10, 64, 200}) {
    CAPTURE(order);
    const std::vector<double> roots = LegsNormalFrequencies(order);
    const std::vector<double> values = ByEigenvalues(order);
    REQUIRE(roots.size() == values.size());
    // What an eigenvalue solver promises is small beside the largest.
    const double error = 1e-14 * static_cast<double>(order) * values.back();
    for (size_t i = 0; i < roots.size(); ++i) {
      CAPTURE(i);
      CHECK(std::abs(roots[i] - values[i]) < error);
    }
  }
}

TEST_CASE("the largest order is solved in seconds, each frequency once and in order") {
  const std::vector<double> many = LegsNormalFrequencies(4096);
  REQUIRE(many.size() == 2048);
  for (size_t i = 1; i < many.size(); ++i) CHECK(many[i] > many[i - 1]);
  // The trace of K^T K: the sum of squares of all entries, each frequency counted twice.
  double squares = 0, entries = 0, before = 0;
  for (double w : many) squares += 2 * w * w;
  for (int64_t i = 0; i < 4096; ++i) {
    entries += 2 * 0.25 * static_cast<double>(2 * i + 1) * before;
    before += static_cast<double>(2 * i + 1);
  }
  CHECK(squares == doctest::Approx(entries).epsilon(1e-12));
}

TEST_CASE("an odd order has no pairs") { CHECK_THROWS_AS(LegsNormalFrequencies(3), Error); }

}  // namespace
}  // namespace ssm
