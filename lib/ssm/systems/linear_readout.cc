#include "ssm/systems/linear_readout.h"

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<LinearReadout> FitReadouts(const Matrix& states, const Matrix& targets,
                                       std::span<const double> noises) {
  SSM_CHECK(states.rows == targets.rows && states.rows > 0, "a read-out has a target for a state");
  MatrixXd H = ToEigen(states), X = ToEigen(targets);
  const auto count = static_cast<double>(states.rows);
  const VectorXd centre = H.colwise().mean().transpose(), offset = X.colwise().mean().transpose();
  H.rowwise() -= centre.transpose();
  X.rowwise() -= offset.transpose();
  VectorXd scale(H.cols());  // 1 / S, 0 where a state does not vary beyond its rounding
  for (Eigen::Index i = 0; i < H.cols(); ++i) {
    const double spread = std::sqrt(H.col(i).squaredNorm() / count);
    scale(i) = spread > 1e-12 * std::abs(centre(i)) ? 1 / spread : 0;
    H.col(i) *= scale(i);
  }
  const bool wide = H.cols() > H.rows();
  const MatrixXd gram = wide ? MatrixXd(H * H.transpose()) : MatrixXd(H.transpose() * H);
  const MatrixXd right = wide ? X : MatrixXd(H.transpose() * X);
  std::vector<LinearReadout> readouts;
  for (const double noise : noises) {
    MatrixXd normal = gram;
    normal.diagonal().array() += count * noise * noise;
    const MatrixXd solved = normal.llt().solve(right);
    const MatrixXd weights = wide ? MatrixXd(H.transpose() * solved) : solved;
    readouts.push_back({{centre.begin(), centre.end()},
                        {offset.begin(), offset.end()},
                        FromEigen(scale.asDiagonal() * weights)});
  }
  return readouts;
}

Matrix Predict(const LinearReadout& readout, const Matrix& states) {
  SSM_CHECK(states.cols == readout.weights.rows, "a read-out of other states");
  const Eigen::Map<const VectorXd> centre(readout.centre.data(), std::ssize(readout.centre)),
      offset(readout.offset.data(), std::ssize(readout.offset));
  MatrixXd H = ToEigen(states);
  H.rowwise() -= centre.transpose();
  MatrixXd X = H * ToEigen(readout.weights);
  X.rowwise() += offset.transpose();
  return FromEigen(X);
}

}  // namespace ssm
