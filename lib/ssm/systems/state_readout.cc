#include "ssm/systems/state_readout.h"

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {

ReadoutError HeldOutReadout(const Matrix& states, const Matrix& targets, int64_t fitted,
                            double noise) {
  SSM_CHECK(states.rows == targets.rows && 0 < fitted && fitted < states.rows && noise > 0,
            "a read-out is fitted to some of the signals and scored on the others");
  using Eigen::MatrixXd;
  MatrixXd H = ToEigen(states);
  const MatrixXd X = ToEigen(targets);
  const auto count = static_cast<double>(fitted);
  for (Eigen::Index i = 0; i < H.cols(); ++i) {
    const double spread = std::sqrt(H.col(i).head(fitted).squaredNorm() / count);
    if (spread > 0) H.col(i) /= spread;
  }
  const auto seen = H.topRows(fitted);
  MatrixXd normal = seen.transpose() * seen;
  normal.diagonal().array() += count * noise * noise;
  const MatrixXd R = normal.llt().solve(seen.transpose() * X.topRows(fitted));
  const int64_t held = states.rows - fitted;
  const MatrixXd error = X.bottomRows(held) - H.bottomRows(held) * R;
  ReadoutError result;
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    result.by_target.push_back(error.col(j).squaredNorm() / X.col(j).tail(held).squaredNorm());
  }
  result.total = error.squaredNorm() / X.bottomRows(held).squaredNorm();
  return result;
}

}  // namespace ssm
