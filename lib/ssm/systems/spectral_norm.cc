#include "ssm/systems/spectral_norm.h"

#include <cmath>
#include <limits>

#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {

double SpectralNorm(const Matrix& A) {
  if (A.values.empty()) return 0;
  Eigen::MatrixXd scaled = ToEigen(A);
  if (!scaled.allFinite()) return std::numeric_limits<double>::infinity();
  const double largest = scaled.cwiseAbs().maxCoeff();
  if (largest == 0) return 0;
  const int exponent = std::ilogb(largest);
  scaled = scaled.unaryExpr([exponent](double entry) { return std::ldexp(entry, -exponent); });
  const Eigen::MatrixXd gram = A.rows < A.cols ? Eigen::MatrixXd(scaled * scaled.transpose())
                                               : Eigen::MatrixXd(scaled.transpose() * scaled);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram, Eigen::EigenvaluesOnly);
  return std::ldexp(std::sqrt(solver.eigenvalues().maxCoeff()), exponent);
}

}  // namespace ssm
