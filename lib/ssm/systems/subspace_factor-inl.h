// The triangular factor of past and future samples. For .cc files of systems.
#pragma once

#include <Eigen/Core>

namespace ssm {

/// L of [U_p; U_f; Y_p; Y_f] = L Q^T, rows by time in each part: i block rows of past and i of
/// future, m inputs, p outputs. What Q drops is what all projections agree on.
struct SubspaceFactor {
  Eigen::Index i = 0, m = 0, p = 0, columns = 0;
  Eigen::MatrixXd L;  // [2i(m+p), 2i(m+p)] lower triangular, over sqrt(columns)

  /// From u [N, m], y [N, p]; columns = N - 2i + 1 >= 2i(m+p). `centred`: each row less its mean,
  /// which takes out of a linear relation any constant that is added to inputs or outputs, exactly;
  /// signals less their own means still hold what states at the record's ends leave of it.
  SubspaceFactor(const Eigen::MatrixXd& u, const Eigen::MatrixXd& y, Eigen::Index block_rows,
                 bool centred);

  Eigen::MatrixXd PastInputs() const { return L.topRows(m * i); }
  Eigen::MatrixXd FutureInputs() const { return L.middleRows(m * i, m * i); }
  Eigen::MatrixXd PastOutputs() const { return L.middleRows(2 * m * i, p * i); }
  Eigen::MatrixXd FutureOutputs() const { return L.bottomRows(p * i); }

  /// X less its projection on the rows of FutureInputs.
  Eigen::MatrixXd WithoutFutureInputs(const Eigen::MatrixXd& X) const;
};

/// X with the least |X A - B|, the smallest of them; singular values of A below `share` of its
/// largest count as 0.
Eigen::MatrixXd SolveOnRight(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                             double share = 1e-12);

/// A, B, C, D from the observability matrix `seen` [p i, n] and the factor, and the covariance of
/// the residuals of (x_{k+1}, y_k), [n + p, n + p].
struct SubspaceSystem {
  Eigen::MatrixXd A, B, C, D, residual;
};
SubspaceSystem SystemFromObservability(const SubspaceFactor& factor, const Eigen::MatrixXd& seen);

}  // namespace ssm
