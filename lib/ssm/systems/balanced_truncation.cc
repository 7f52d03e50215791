#include "ssm/systems/balanced_truncation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/systems/check_system-inl.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/stable_factor-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

void RequireOrder(int64_t order, const VectorXd& hankel) {
  const auto n = static_cast<int64_t>(hankel.size());
  if (order < 0 || order > n) {
    Fail(ExitCode::kBadConfig,
         fmt::format("order {} of a truncation, but the system has {} states; 0 to {} can be kept",
                     order, n, n));
  }
  const double rounding =
      n == 0 ? 0 : hankel(0) * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  const int64_t real = std::count_if(hankel.begin(), hankel.end(),
                                     [rounding](double value) { return value > rounding; });
  if (order > real) {
    Fail(ExitCode::kBadConfig,
         fmt::format("order {} of a truncation, but only {} Hankel singular values are more than "
                     "rounding; ask for {} or fewer",
                     order, real, real));
  }
}

template <class System>
Truncation<System> Truncate(const System& system, int64_t order, SystemTime time) {
  CheckSystem(system);
  const MatrixXd A = ToEigen(system.A), B = ToEigen(system.B), C = ToEigen(system.C);
  const MatrixXd reach = GramianFactor(A, B, time);
  const MatrixXd seen = GramianFactor(A.transpose(), C.transpose(), time);
  // JacobiSVD takes no empty matrix.
  VectorXd hankel(0);
  MatrixXd U(0, 0), V(0, 0);
  if (A.rows() > 0) {
    const Eigen::JacobiSVD<MatrixXd> svd(seen.transpose() * reach,
                                         Eigen::ComputeFullU | Eigen::ComputeFullV);
    hankel = svd.singularValues();
    U = svd.matrixU();
    V = svd.matrixV();
  }
  RequireOrder(order, hankel);
  const VectorXd scale = hankel.head(order).cwiseSqrt().cwiseInverse();
  const MatrixXd left = seen * U.leftCols(order) * scale.asDiagonal();
  const MatrixXd right = reach * V.leftCols(order) * scale.asDiagonal();
  Truncation<System> result;
  result.system = {FromEigen(left.transpose() * A * right), FromEigen(left.transpose() * B),
                   FromEigen(C * right), system.D};
  result.hankel.assign(hankel.begin(), hankel.end());
  for (auto i = static_cast<Eigen::Index>(hankel.size()) - 1; i >= order; --i) {
    result.error_bound += 2 * hankel(i);
  }
  return result;
}

}  // namespace

Truncation<DiscreteSystem> TruncateBalanced(const DiscreteSystem& system, int64_t order) {
  return Truncate(system, order, SystemTime::kDiscrete);
}

Truncation<ContinuousSystem> TruncateBalanced(const ContinuousSystem& system, int64_t order) {
  return Truncate(system, order, SystemTime::kContinuous);
}

int64_t OrderForError(const std::vector<double>& hankel, double error) {
  double bound = 0;
  auto order = static_cast<int64_t>(hankel.size());
  while (order > 0 && bound + 2 * hankel[static_cast<size_t>(order - 1)] <= error) {
    bound += 2 * hankel[static_cast<size_t>(--order)];
  }
  return order;
}

}  // namespace ssm
