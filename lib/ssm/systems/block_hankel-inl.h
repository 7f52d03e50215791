// Windows of a signal as the rows of a matrix. For .cc files of systems.
#pragma once

#include <Eigen/Core>

namespace ssm {

/// Row k holds signal rows k ... k + length - 1 side by side: the transposed block Hankel matrix
/// [N - length + 1, length columns]. `signal` [N, columns], length <= N.
inline Eigen::MatrixXd BlockHankel(const Eigen::MatrixXd& signal, Eigen::Index length) {
  const Eigen::Index rows = signal.rows() - length + 1, cols = signal.cols();
  Eigen::MatrixXd windows(rows, length * cols);
  for (Eigen::Index i = 0; i < length; ++i) {
    windows.middleCols(i * cols, cols) = signal.middleRows(i, rows);
  }
  return windows;
}

}  // namespace ssm
