#include "ssm/systems/riccati.h"

#include <Eigen/Core>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;

MatrixXd Symmetric(const MatrixXd& X) { return 0.5 * (X + X.transpose()); }

/// X = A^T X (I + G X)^-1 A + H, the stabilising solution, by doubling.
MatrixXd SolveByDoubling(MatrixXd A, MatrixXd G, MatrixXd H) {
  constexpr int kMostSteps = 60;
  constexpr double kClose = 1e-15;
  const MatrixXd one = MatrixXd::Identity(A.rows(), A.rows());
  for (int step = 0; step < kMostSteps; ++step) {
    const Eigen::PartialPivLU<MatrixXd> inverse(one + G * H);
    const MatrixXd solved_A = inverse.solve(A), solved_G = inverse.solve(G);
    const MatrixXd more = Symmetric(A.transpose() * H * solved_A);
    G = Symmetric(G + A * solved_G * A.transpose());
    A = A * solved_A;
    H = Symmetric(H + more);
    if (!H.allFinite()) break;
    if (more.norm() <= kClose * H.norm()) return H;
  }
  Fail(
      ExitCode::kBadData,
      "no stable Kalman filter was found: a mode that is not stable is not seen by the outputs, or "
      "one on the unit circle is not moved by the noise");
}

}  // namespace

StationaryFilter SolveFilterRiccati(const Matrix& A, const Matrix& C, const Matrix& Q,
                                    const Matrix& R, const Matrix& S) {
  SSM_CHECK(A.rows == A.cols && C.cols == A.rows && Q.rows == A.rows && Q.cols == A.rows &&
                R.rows == C.rows && R.cols == C.rows && S.rows == A.rows && S.cols == C.rows,
            "the matrices of a filter fit together");
  const MatrixXd a = ToEigen(A), c = ToEigen(C), q = Symmetric(ToEigen(Q)), s = ToEigen(S);
  const MatrixXd r = Symmetric(ToEigen(R));
  const Eigen::LLT<MatrixXd> noise(r);
  if (r.rows() > 0 && noise.info() != Eigen::Success) {
    Fail(ExitCode::kBadData,
         "the covariance of the outputs' noise is not positive definite, so there is no Kalman "
         "gain");
  }
  if (A.rows == 0) return {Matrix(0, 0), Matrix(0, C.rows), FromEigen(r)};
  // Without the cross-covariance: what v tells of w is taken into A.
  const MatrixXd told = noise.solve(s.transpose()).transpose();
  const MatrixXd P = SolveByDoubling((a - told * c).transpose(), c.transpose() * noise.solve(c),
                                     Symmetric(q - told * s.transpose()));
  const MatrixXd innovation = Symmetric(c * P * c.transpose() + r);
  const MatrixXd K = innovation.ldlt().solve((a * P * c.transpose() + s).transpose()).transpose();
  const double radius =
      Eigen::EigenSolver<MatrixXd>(a - K * c, false).eigenvalues().cwiseAbs().maxCoeff();
  if (!(radius < 1)) {
    Fail(ExitCode::kBadData,
         "no stable Kalman filter was found: a mode that is not stable is not moved by the noise, "
         "so "
         "the filter never corrects it");
  }
  return {FromEigen(P), FromEigen(K), FromEigen(innovation)};
}

}  // namespace ssm
