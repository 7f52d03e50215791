#include "ssm/systems/excitation.h"

#include <algorithm>

#include "ssm/systems/block_hankel-inl.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;

/// Infinite for a matrix without full rank; 1 where there is none.
double ConditionOf(const MatrixXd& square) {
  const Eigen::VectorXd values = Eigen::BDCSVD<MatrixXd>(square).singularValues();
  return values(0) / values(values.size() - 1);
}

}  // namespace

Excitation ExcitationOf(const Matrix& u, int64_t asked, double most_condition) {
  Excitation excitation{0, asked, 1};
  const int64_t m = u.cols;
  if (m == 0) return excitation;
  // As many columns as rows at least: m L <= N - L + 1.
  const int64_t longest = std::min(asked, (u.rows + 1) / (m + 1));
  if (longest < 1) return excitation;
  const MatrixXd windows = BlockHankel(ToEigen(u), longest);
  const Eigen::HouseholderQR<MatrixXd> qr(windows);
  const MatrixXd R = qr.matrixQR().topRows(m * longest).triangularView<Eigen::Upper>();
  // Of a window's first samples alone: R's leading part.
  for (int64_t order = longest; order >= 1; --order) {
    const double condition = ConditionOf(R.topLeftCorner(m * order, m * order));
    if (condition <= most_condition) return {order, asked, condition};
  }
  return excitation;
}

}  // namespace ssm
