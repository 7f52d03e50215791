#include <cmath>

#include "ssm/systems/block_hankel-inl.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/subspace_factor-inl.h"

namespace ssm {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

SubspaceFactor::SubspaceFactor(const MatrixXd& u, const MatrixXd& y, Index block_rows, bool centred)
    : i(block_rows), m(u.cols()), p(y.cols()), columns(u.rows() - 2 * block_rows + 1) {
  const Index width = 2 * i * (m + p);
  MatrixXd windows(columns, width);
  windows << BlockHankel(u, 2 * i), BlockHankel(y, 2 * i);
  if (centred) windows.rowwise() -= windows.colwise().mean().eval();
  const Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(windows);  // in place
  L = MatrixXd(qr.matrixQR().topRows(width).triangularView<Eigen::Upper>()).transpose() /
      std::sqrt(static_cast<double>(columns));
}

MatrixXd SubspaceFactor::WithoutFutureInputs(const MatrixXd& X) const {
  const Index wide = 2 * m * i;  // beyond, inputs have no part
  const MatrixXd inputs = FutureInputs().leftCols(wide).transpose();
  const Eigen::HouseholderQR<MatrixXd> qr(inputs);
  const MatrixXd basis = qr.householderQ() * MatrixXd::Identity(wide, m * i);
  MatrixXd rest = X;
  rest.leftCols(wide) -= (X.leftCols(wide) * basis) * basis.transpose();
  return rest;
}

MatrixXd SolveOnRight(const MatrixXd& A, const MatrixXd& B, double share) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
  decomposition.setThreshold(share);
  decomposition.compute(A.transpose());
  return decomposition.solve(B.transpose()).transpose();
}

namespace {

MatrixXd PseudoInverse(const MatrixXd& tall) {
  return tall.colPivHouseholderQr().solve(MatrixXd::Identity(tall.rows(), tall.rows()));
}

/// B and D from what is left of (x_{k+1}, y_k) after the states' part, rest [n + p, 2 m i] in the
/// coordinates of the inputs alone: rest = sum_k N_k (D; B) (row k of the future inputs), where N_k
/// comes from A, C and the observability matrix.
void SolveInputMatrices(const SubspaceFactor& factor, const MatrixXd& seen, const MatrixXd& rest,
                        SubspaceSystem& system) {
  const Index i = factor.i, m = factor.m, p = factor.p, n = seen.cols();
  const MatrixXd inverse = PseudoInverse(seen);
  MatrixXd read(n + p, p * i);  // how the future outputs enter x_{k+1} and y_k
  read.topRows(n) = -system.A * inverse;
  read.topRightCorner(n, p * (i - 1)) += PseudoInverse(seen.topRows(p * (i - 1)));
  read.bottomRows(p) = -system.C * inverse;
  read.bottomLeftCorner(p, p) += MatrixXd::Identity(p, p);
  const MatrixXd inputs = factor.FutureInputs().leftCols(2 * m * i);
  MatrixXd equations = MatrixXd::Zero((n + p) * inputs.cols(), m * (n + p));
  for (Index k = 0; k < i; ++k) {
    MatrixXd N(n + p, p + n);
    N.leftCols(p) = read.middleCols(k * p, p);
    const Index below = p * (i - 1 - k);
    N.rightCols(n) = read.rightCols(below) * seen.topRows(below);
    for (Index c = 0; c < inputs.cols(); ++c) {
      for (Index j = 0; j < m; ++j) {
        equations.block(c * (n + p), j * (n + p), n + p, n + p) += inputs(k * m + j, c) * N;
      }
    }
  }
  const VectorXd known = rest.reshaped();
  const MatrixXd both = equations.colPivHouseholderQr().solve(known).reshaped(n + p, m);
  system.D = both.topRows(p);
  system.B = both.bottomRows(n);
}

}  // namespace

SubspaceSystem SystemFromObservability(const SubspaceFactor& factor, const MatrixXd& seen) {
  const Index i = factor.i, m = factor.m, p = factor.p, n = seen.cols();
  // Columns that the past and the first future output can reach.
  const Index known = (2 * m + p) * i;
  const MatrixXd future = factor.FutureOutputs();
  const MatrixXd now = future.topRows(p).leftCols(known + p);
  MatrixXd seen_now = seen;
  SubspaceSystem system;
  MatrixXd left(n + p, known + p), right(n + m * i, known + p);
  // The second time with the observability matrix that A and C make: states that fit together.
  for (int round = 0; round < 2; ++round) {
    right.topRows(n).leftCols(known) = PseudoInverse(seen_now) * future.leftCols(known);
    right.topRightCorner(n, p).setZero();
    right.bottomRows(m * i) = factor.FutureInputs().leftCols(known + p);
    left.topRows(n) = PseudoInverse(seen_now.topRows(p * (i - 1))) *
                      future.bottomRows(p * (i - 1)).leftCols(known + p);
    left.bottomRows(p) = now;
    if (round > 0) break;
    const MatrixXd solved = SolveOnRight(right, left);
    system.A = solved.topLeftCorner(n, n);
    system.C = solved.bottomLeftCorner(p, n);
    const MatrixXd residual = left - solved * right;
    system.residual = residual * residual.transpose();
    MatrixXd power = system.C;
    for (Index k = 0; k < i; ++k, power = power * system.A) seen_now.middleRows(k * p, p) = power;
  }
  MatrixXd states(n + p, n);
  states << system.A, system.C;
  const MatrixXd rest = left - states * right.topRows(n);
  SolveInputMatrices(factor, seen_now, rest.leftCols(2 * m * i), system);
  return system;
}

}  // namespace ssm
