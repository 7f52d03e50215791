#include "ssm/systems/lyapunov.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/stable_factor-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXcd;
using Eigen::VectorXcd;
using Complex = std::complex<double>;

/// Eigenvalues i and j of A make the equation singular: `distance` from it, against `scale`.
void RequireUnique(double distance, double scale, const char* equation, const char* relation,
                   Complex first, Complex second) {
  if (distance > 4 * std::numeric_limits<double>::epsilon() * scale) return;
  Fail(ExitCode::kBadData,
       fmt::format("{} has no unique solution: the eigenvalues {} and {} of A have {}", equation,
                   ComplexText(first), ComplexText(second), relation));
}

/// The columns of the unknown from last to first; T upper triangular.
MatrixXcd SolveTriangular(const MatrixXcd& T, const MatrixXcd& Q, SystemTime time) {
  const Eigen::Index n = T.rows();
  MatrixXcd X = MatrixXcd::Zero(n, n);
  for (Eigen::Index j = n - 1; j >= 0; --j) {
    const Complex pole = std::conj(T(j, j));
    const Eigen::Index right = n - 1 - j;
    const VectorXcd sum = X.rightCols(right) * T.row(j).tail(right).adjoint();
    MatrixXcd left;
    VectorXcd known = Q.col(j);
    if (time == SystemTime::kDiscrete) {
      left = MatrixXcd::Identity(n, n) - pole * T;
      known += T.triangularView<Eigen::Upper>() * sum;
    } else {
      left = -T;
      left.diagonal().array() -= pole;
      known += sum;
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      if (time == SystemTime::kDiscrete) {
        RequireUnique(std::abs(left(i, i)), 1, "X = A X A^T + Q", "product 1", T(i, i), T(j, j));
      } else {
        RequireUnique(std::abs(left(i, i)), T.cwiseAbs().maxCoeff(), "A X + X A^T + Q = 0", "sum 0",
                      T(i, i), T(j, j));
      }
    }
    X.col(j) = left.triangularView<Eigen::Upper>().solve(known);
  }
  return X;
}

Matrix Solve(const Matrix& A, const Matrix& Q, SystemTime time) {
  SSM_CHECK(A.rows == A.cols && Q.rows == A.rows && Q.cols == A.rows,
            "A and Q of a Lyapunov equation are square and of one size");
  if (A.rows == 0) return Q;
  const ComplexSchurForm schur = SchurOf(ToEigen(A));
  const MatrixXcd turned = schur.Q.adjoint() * ToEigen(Q) * schur.Q;
  const MatrixXcd X = schur.Q * SolveTriangular(schur.T, turned, time) * schur.Q.adjoint();
  return FromEigen(X.real());
}

}  // namespace

Matrix SolveDiscreteLyapunov(const Matrix& A, const Matrix& Q) {
  return Solve(A, Q, SystemTime::kDiscrete);
}

Matrix SolveContinuousLyapunov(const Matrix& A, const Matrix& Q) {
  return Solve(A, Q, SystemTime::kContinuous);
}

}  // namespace ssm
