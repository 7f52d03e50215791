#include <complex>
#include <limits>

#include "ssm/systems/row_errors-inl.h"

namespace ssm {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

RowErrors::RowErrors(const Eigen::MatrixXcd& T, const Eigen::MatrixXcd& Q, const Eigen::MatrixXd& A,
                     const Eigen::MatrixXd& B)
    : T_(T) {
  const Eigen::MatrixXd turn = Q.cwiseAbs();
  rounding_ = kEpsilon * (turn.transpose() * A.cwiseAbs() * turn);
  clear_ = 1e-9 * B.norm();
  errors_ = kEpsilon * (turn.transpose() * B.rowwise().norm());
}

bool RowErrors::IsReal(Eigen::Index i, double norm) const {
  constexpr double kMargin = 1000;  // the estimate is of first order, and A and B are rounded
  return norm > clear_ || norm > kMargin * errors_(i);
}

void RowErrors::Follow(Eigen::Index j, const Eigen::VectorXd& before,
                       const Eigen::VectorXd& moved) {
  // B goes to phi(T) B with the all-pass phi(x) = (x - pole) / (1 - conj(pole) x). An entry of
  // phi(T) off the diagonal is T's times phi's divided difference, longer paths aside.
  const std::complex<double> pole = T_(j, j);
  const double gap = (1 - std::abs(pole)) * (1 + std::abs(pole));
  Eigen::VectorXd distance(j);
  for (Eigen::Index i = 0; i < j; ++i) distance(i) = std::abs(1.0 - std::conj(pole) * T_(i, i));
  Eigen::VectorXd next(j);
  for (Eigen::Index i = 0; i < j; ++i) {
    next(i) =
        errors_(i) * std::abs(T_(i, i) - pole) / distance(i) + kEpsilon * (before(i) + moved(i));
    for (Eigen::Index k = 0; k < j; ++k) {
      const double slope = gap / (distance(i) * distance(k));
      next(i) += slope * rounding_(i, k) * before(k);
      if (k > i) next(i) += slope * std::abs(T_(i, k)) * errors_(k);
    }
  }
  errors_.head(j) = next;
}

}  // namespace ssm
