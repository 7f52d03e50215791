#include "ssm/systems/matrix_exponential.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/systems/balance.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kDegree = 13;

/// Of the numerator of the [13/13] approximant of e^x: p_0 = 1, p_{j+1} / p_j = (m - j) / ((2m - j)
/// (j + 1)). The denominator has them with alternating signs.
constexpr std::array<double, kDegree + 1> kPade = [] {
  std::array<double, kDegree + 1> p{1};
  for (int j = 0; j < kDegree; ++j) {
    const auto i = static_cast<size_t>(j);
    p[i + 1] = p[i] * (kDegree - j) / ((2.0 * kDegree - j) * (j + 1));
  }
  return p;
}();

// `Dense` is MatrixXd or MatrixXcd.
template <class Dense>
double Norm1(const Dense& A) {
  return A.cwiseAbs().colwise().sum().maxCoeff();
}

/// log2 of | |A|^power |_1, from row sums: no power is formed. -inf where it vanishes.
template <class Dense>
double Log2NormOfAbsolutePower(const Dense& A, int power) {
  const MatrixXd transposed = A.cwiseAbs().transpose();
  VectorXd sums = VectorXd::Ones(A.rows());
  double log = 0;
  for (int i = 0; i < power; ++i) {
    sums = transposed * sums;
    const double largest = sums.maxCoeff();
    if (!(largest > 0)) return -std::numeric_limits<double>::infinity();
    log += std::log2(largest);
    sums /= largest;
  }
  return log;
}

/// How often A is halved before the approximant is as good as double allows: by the norms of its
/// powers (theta_13 = 4.25), and once more per 2^26 by which the next term of the backward error,
/// c |A|^27 with 1/c = C(26, 13) 27!, exceeds rounding (Al-Mohy and Higham 2009, section 3).
template <class Dense>
int Halvings(const Dense& A) {
  constexpr double kTheta = 4.25;
  const double log2_c = -(std::lgamma(28) + std::lgamma(27) - 2 * std::lgamma(14)) / std::log(2.0);
  const Dense A2 = A * A, A4 = A2 * A2, A6 = A4 * A2;
  const double d6 = std::pow(Norm1(A6), 1.0 / 6), d8 = std::pow(Norm1<Dense>(A4 * A4), 1.0 / 8),
               d10 = std::pow(Norm1<Dense>(A4 * A6), 1.0 / 10);
  const double size = std::min(std::max(d6, d8), std::max(d8, d10));
  const int halvings = size > kTheta ? static_cast<int>(std::ceil(std::log2(size / kTheta))) : 0;
  // |2^-s A|^27 / |2^-s A| = 2^(-26 s) |A|^27 / |A|
  const double log2_error = log2_c + Log2NormOfAbsolutePower(A, 2 * kDegree + 1) -
                            std::log2(Norm1(A)) - 2.0 * kDegree * halvings;
  const double excess = (log2_error + 53) / (2 * kDegree);
  return excess > 0 ? halvings + static_cast<int>(std::ceil(excess)) : halvings;
}

/// left^-1 right. Triangular matrices are solved as such: with pivots rounding would fill zeros.
template <class Dense>
Dense Solve(const Dense& left, const Dense& right) {
  if (left.isUpperTriangular(0)) return left.template triangularView<Eigen::Upper>().solve(right);
  if (left.isLowerTriangular(0)) return left.template triangularView<Eigen::Lower>().solve(right);
  return left.partialPivLu().solve(right);
}

/// r(A) - 1 = 2 (V - U)^-1 U for the approximant r = (V + U) / (V - U), U odd and V even in A.
template <class Dense>
Dense PadeMinus1(const Dense& A) {
  const auto& p = kPade;
  const Dense one = Dense::Identity(A.rows(), A.cols());
  const Dense A2 = A * A, A4 = A2 * A2, A6 = A4 * A2;
  const Dense odd =
      A6 * (p[13] * A6 + p[11] * A4 + p[9] * A2) + p[7] * A6 + p[5] * A4 + p[3] * A2 + p[1] * one;
  const Dense even =
      A6 * (p[12] * A6 + p[10] * A4 + p[8] * A2) + p[6] * A6 + p[4] * A4 + p[2] * A2 + p[0] * one;
  const Dense U = A * odd;
  return 2 * Solve<Dense>(even - U, U);
}

template <class Dense>
struct Doubled {
  Dense exponential;
  /// The largest |X|^2 / |X^2| met: rounding of a square is some eps |X|^2. Near 1 for a normal A.
  double amplification = 1;
};

template <class Dense>
Doubled<Dense> ByDoubling(const Dense& A) {
  Dense scaled = A;
  // A tenth power beyond double would say nothing about the scaling.
  constexpr double kLargest = 0x1p90;
  const double norm = A.cwiseAbs().maxCoeff();
  int doublings = norm > kLargest ? std::ilogb(norm / kLargest) + 1 : 0;
  scaled *= std::ldexp(1.0, -doublings);
  if (norm > 0) {
    const int halvings = Halvings(scaled);
    scaled *= std::ldexp(1.0, -halvings);
    doublings += halvings;
  }
  Dense E = PadeMinus1(scaled);
  Dense X = E + Dense::Identity(A.rows(), A.cols());
  Doubled<Dense> result;
  for (int i = 0; i < doublings; ++i) {
    const double before = Norm1(X);
    E = 2 * E + E * E;
    X = X * X;
    const double ratio = before * (before / Norm1(X));
    if (std::isfinite(ratio)) result.amplification = std::max(result.amplification, ratio);
  }
  const auto decayed = [&E](Eigen::Index i) { return std::abs(1.0 + E(i, i)) < 0.5; };
  result.exponential = E + Dense::Identity(A.rows(), A.cols());
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      if (decayed(i) && decayed(j)) result.exponential(i, j) = X(i, j);
    }
  }
  return result;
}

/// By the Schur form U T U^*: in a triangular T what grows before it decays stands above the
/// diagonal, where squaring does not mix it into what it exceeds. Costs some eps |A| of its own.
MatrixXd BySchurForm(const MatrixXd& A) {
  const Eigen::ComplexSchur<MatrixXd> schur(A);
  const MatrixXcd T = schur.matrixT().triangularView<Eigen::Upper>();
  const MatrixXcd& U = schur.matrixU();
  return (U * ByDoubling(T).exponential * U.adjoint()).real();
}

bool IsTriangular(const MatrixXd& A) { return A.isUpperTriangular(0) || A.isLowerTriangular(0); }

}  // namespace

Matrix Exponential(const Matrix& A) {
  SSM_CHECK(A.rows == A.cols, "only square matrices have an exponential");
  if (A.rows == 0) return A;
  if (!ToEigen(A).allFinite()) {
    return FromEigen(MatrixXd::Constant(A.rows, A.cols, std::numeric_limits<double>::quiet_NaN()));
  }
  constexpr double kMostAmplification = 1e4;
  const BalancedMatrix balanced = Balance(A);
  const MatrixXd dense = ToEigen(balanced.matrix);
  const Doubled<MatrixXd> doubled = ByDoubling(dense);
  const bool schur = doubled.amplification > kMostAmplification && !IsTriangular(dense);
  const MatrixXd exponential = schur ? BySchurForm(dense) : doubled.exponential;
  Matrix result(A.rows, A.cols);
  for (int64_t i = 0; i < A.rows; ++i) {
    for (int64_t j = 0; j < A.cols; ++j) {
      const int shift =
          balanced.exponents[static_cast<size_t>(i)] - balanced.exponents[static_cast<size_t>(j)];
      result(i, j) = std::ldexp(exponential(i, j), shift);
    }
  }
  return result;
}

}  // namespace ssm
