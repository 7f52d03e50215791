#include "ssm/systems/hippo_low_rank.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/hippo.h"

namespace ssm {
namespace {

using enum HippoMeasure;
using Complex = std::complex<double>;
using RowMajor = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::MatrixXcd View(const std::vector<Complex>& values, int64_t rows, int64_t cols) {
  return Eigen::Map<const RowMajor>(values.data(), rows, cols);
}

const std::vector<HippoOptions>& Cases() {
  static const std::vector<HippoOptions> cases = [] {
    std::vector<HippoOptions> all;
    for (HippoMeasure measure : {kLegS, kLegT, kLegTHalved, kLagT, kGeneralLagT, kFouT}) {
      for (int64_t order : {1, 2, 3, 8, 64}) {
        if (measure != kFouT || order % 2 == 0) all.push_back({measure, order, 0, 0.6});
      }
    }
    return all;
  }();
  return cases;
}

TEST_CASE("A + P P^T is normal, with one real part and the rank that is known") {
  for (const HippoOptions& options : Cases()) {
    CAPTURE(NameOf(options.measure));
    CAPTURE(options.order);
    const NormalMinusLowRank split = SplitHippo(options);
    const Eigen::MatrixXd N = ToEigen(split.normal), P = ToEigen(split.P);
    const Eigen::MatrixXd A = ToEigen(MakeHippo(options).A);
    const double scale = A.norm();
    CHECK((N * N.transpose() - N.transpose() * N).norm() <= 1e-12 * scale * scale);
    CHECK((N - P * P.transpose() - A).norm() <= 1e-14 * scale);
    const Eigen::MatrixXd symmetric = 0.5 * (N + N.transpose());
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(N.rows(), N.cols());
    CHECK((symmetric - split.real_part * identity).norm() <= 1e-14 * scale);
    const bool window = options.measure == kLegT || options.measure == kLegTHalved;
    CHECK(P.cols() == (window ? 2 : 1));
  }
  CHECK(SplitHippo({kLegS, 4}).real_part == -0.5);
  CHECK(SplitHippo({kLegT, 4}).real_part == 0);
  CHECK(SplitHippo({kGeneralLagT, 4, 0, 0.6}).real_part == -0.3);
}

TEST_CASE("the diagonal form is A again, in a unitary basis") {
  for (const HippoOptions& options : Cases()) {
    CAPTURE(NameOf(options.measure));
    CAPTURE(options.order);
    const int64_t n = options.order;
    const DiagonalMinusLowRank form = DiagonaliseHippo(options);
    const Eigen::MatrixXcd V = View(form.V, n, n), P = View(form.P, n, form.rank);
    const Eigen::VectorXcd lambda = View(form.lambda, n, 1);
    const HippoPair pair = MakeHippo(options);
    const Eigen::MatrixXcd identity = Eigen::MatrixXcd::Identity(n, n);
    CHECK((V.adjoint() * V - identity).norm() < 1e-12);
    const Eigen::MatrixXcd inner = Eigen::MatrixXcd(lambda.asDiagonal()) - P * P.adjoint();
    const Eigen::MatrixXd A = ToEigen(pair.A), B = ToEigen(pair.B);
    CHECK((V * inner * V.adjoint() - A.cast<Complex>()).norm() < 1e-12 * A.norm());
    CHECK((V * View(form.B, n, 1) - B.cast<Complex>()).norm() < 1e-12 * B.norm());
    for (size_t k = 0; k < form.B.size(); ++k) {
      CHECK(std::abs(form.B[k].imag()) < 1e-12 * B.norm());
      CHECK(form.B[k].real() > -1e-12);
      if (k > 0) CHECK(form.lambda[k].imag() >= form.lambda[k - 1].imag());
    }
  }
}

TEST_CASE("LegS's eigenvalues are the roots of their closed equation, in conjugate pairs") {
  for (int64_t order : {2, 8, 64, 256}) {
    CAPTURE(order);
    const DiagonalMinusLowRank form = DiagonaliseHippo({kLegS, order});
    const std::vector<double> frequencies = LegsNormalFrequencies(order);
    const size_t half = frequencies.size();
    for (size_t k = 0; k < half; ++k) {
      const double tolerance = 1e-13 * frequencies.back();
      CHECK(std::abs(form.lambda[half + k] - Complex(-0.5, frequencies[k])) < tolerance);
      CHECK(std::abs(form.lambda[half - 1 - k] - Complex(-0.5, -frequencies[k])) < tolerance);
      CHECK(std::abs(form.B[half + k] - form.B[half - 1 - k]) < 1e-10);
    }
  }
}

/// c^T (s I - A)^-1 B for c = B, by elimination.
Complex Dense(const HippoPair& pair, Complex s) {
  const Eigen::MatrixXcd A = ToEigen(pair.A).cast<Complex>(), B = ToEigen(pair.B).cast<Complex>();
  const Eigen::MatrixXcd system = s * Eigen::MatrixXcd::Identity(A.rows(), A.cols()) - A;
  return (B.transpose() * system.partialPivLu().solve(B))(0, 0);
}

/// The same through the diagonal: 1 / (s - lambda), corrected by the low rank (Woodbury).
Complex Diagonal(const DiagonalMinusLowRank& form, Complex s) {
  const int64_t n = form.order;
  const Eigen::MatrixXcd P = View(form.P, n, form.rank), B = View(form.B, n, 1);
  Eigen::VectorXcd inverse = View(form.lambda, n, 1);
  for (Complex& value : inverse) value = 1.0 / (s - value);
  const Eigen::MatrixXcd RB = inverse.asDiagonal() * B, RP = inverse.asDiagonal() * P;
  const Eigen::MatrixXcd core = Eigen::MatrixXcd::Identity(form.rank, form.rank) + P.adjoint() * RP;
  return (B.adjoint() * (RB - RP * core.partialPivLu().solve(P.adjoint() * RB)))(0, 0);
}

TEST_CASE("both forms have one transfer function") {
  for (const HippoOptions& options : Cases()) {
    CAPTURE(NameOf(options.measure));
    CAPTURE(options.order);
    const HippoPair pair = MakeHippo(options);
    const DiagonalMinusLowRank form = DiagonaliseHippo(options);
    for (const Complex s : {Complex(0.7, 0), Complex(0.1, 3), Complex(2, -40)}) {
      const Complex expected = Dense(pair, s);
      CHECK(std::abs(Diagonal(form, s) - expected) < 1e-11 * std::abs(expected));
    }
  }
}

TEST_CASE("what has no normal part is refused") {
  CHECK_THROWS_WITH_AS(SplitHippo({kLmu, 4}),
                       "HiPPO lmu: Legendre polynomials without sqrt(2i + 1) have no normal part; "
                       "give legt, which remembers the same window",
                       Error);
  CHECK_THROWS_WITH_AS(DiagonaliseHippo({kGeneralLagT, 4, 0.5, 1}),
                       "HiPPO glagt: alpha is 0.5; only alpha = 0 has a normal part", Error);
  CHECK_THROWS_AS(SplitHippo({kLegS, 0}), Error);
}

}  // namespace
}  // namespace ssm
