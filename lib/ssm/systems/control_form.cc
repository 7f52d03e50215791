#include "ssm/systems/control_form.h"

#include "ssm/systems/check_system-inl.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {

using Eigen::MatrixXd;

namespace {

constexpr double kLeastGain = 1e-6;  // of A's norm: below it a direction is delayed, not divided by

/// Of `values`, descending, those above `share` of the first.
Eigen::Index CountAbove(const Eigen::VectorXd& values, double share) {
  Eigen::Index count = 0;
  while (count < values.size() && values(count) > share * values(0)) ++count;
  return count;
}

}  // namespace

std::vector<std::string> FaultsOf(const ControlSystem& system) {
  return FaultsOf(DiscreteSystem{system.A, system.B, system.C, system.D});
}

ControlSystem ToControl(const DiscreteSystem& system) {
  CheckSystem(system);
  const MatrixXd C = ToEigen(system.C);
  return {system.A, system.B, FromEigen(C * ToEigen(system.A)),
          FromEigen(ToEigen(system.D) + C * ToEigen(system.B))};
}

DiscreteSystem FromControl(const ControlSystem& system) {
  CheckSystem(system);
  if (system.states() == 0) return {system.A, system.B, system.C, system.D};
  const MatrixXd A = ToEigen(system.A), B = ToEigen(system.B), C = ToEigen(system.C);
  const Eigen::Index n = A.rows(), p = C.rows();
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Index kept = CountAbove(svd.singularValues(), kLeastGain);
  const MatrixXd V = svd.matrixV();
  // A = sum s u v^T, so (C v / s) u^T A reads C's part along v exactly.
  const MatrixXd read = C * V.leftCols(kept) *
                        svd.singularValues().head(kept).cwiseInverse().asDiagonal() *
                        svd.matrixU().leftCols(kept).transpose();
  const MatrixXd lost = C * V.rightCols(n - kept);
  Eigen::Index extra = 0;
  MatrixXd delayed(n, 0), held(p, 0);  // lost V^T = held delayed^T
  if (lost.size() > 0) {
    const Eigen::JacobiSVD<MatrixXd> parts(lost, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::VectorXd sizes = parts.singularValues();
    while (extra < sizes.size() && sizes(extra) > 1e-15 * C.norm()) ++extra;
    delayed = V.rightCols(n - kept) * parts.matrixV().leftCols(extra);
    held = parts.matrixU().leftCols(extra) * sizes.head(extra).asDiagonal();
  }
  MatrixXd bigA = MatrixXd::Zero(n + extra, n + extra);
  bigA.topLeftCorner(n, n) = A;
  bigA.bottomLeftCorner(extra, n) = delayed.transpose();
  MatrixXd bigB = MatrixXd::Zero(n + extra, B.cols());
  bigB.topRows(n) = B;
  MatrixXd bigC(p, n + extra);
  bigC << read, held;
  return {FromEigen(bigA), FromEigen(bigB), FromEigen(bigC),
          FromEigen(ToEigen(system.D) - read * B)};
}

}  // namespace ssm
