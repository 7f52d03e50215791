// Matrix to and from Eigen. For .cc files of systems alone: Eigen stays out of headers.
#pragma once

#include <Eigen/Core>

#include "ssm/systems/matrix.h"

namespace ssm {

inline Eigen::MatrixXd ToEigen(const Matrix& matrix) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(matrix.values.data(), matrix.rows, matrix.cols);
}

inline Matrix FromEigen(const Eigen::MatrixXd& eigen) {
  Matrix matrix(eigen.rows(), eigen.cols());
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j < matrix.cols; ++j) matrix(i, j) = eigen(i, j);
  }
  return matrix;
}

}  // namespace ssm
