// Which rows of a triangular pair are more than rounding while it is taken apart. For .cc files of
// systems.
#pragma once

#include <Eigen/Core>

namespace ssm {

/// An estimate, to first order, of the rounding error in each row of B as StableFactor goes from
/// the last row to the first. A row may shrink far below |B| and still be exact (a diagonal A), or
/// be nothing but rounding (two equal poles, an input that does not reach a mode).
class RowErrors {
 public:
  /// A = Q T Q^H, and B as it was before Q^H was applied.
  RowErrors(const Eigen::MatrixXcd& T, const Eigen::MatrixXcd& Q, const Eigen::MatrixXd& A,
            const Eigen::MatrixXd& B);

  /// Whether row i of that norm is more than rounding.
  bool IsReal(Eigen::Index i, double norm) const;

  /// After row j was taken off by a discrete step: `before` the norms of the rows above it, `moved`
  /// those of what they were mixed with.
  void Follow(Eigen::Index j, const Eigen::VectorXd& before, const Eigen::VectorXd& moved);

 private:
  Eigen::MatrixXcd T_;
  Eigen::MatrixXd rounding_;  // of T's entries
  Eigen::VectorXd errors_;
  double clear_ = 0;  // what is above it is real, whatever a pessimistic estimate says
};

}  // namespace ssm
