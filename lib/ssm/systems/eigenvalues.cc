#include "ssm/systems/eigenvalues.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/systems/balance.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {
namespace {

/// Whether all entries below (or all above) the diagonal are zero.
bool IsTriangular(const Matrix& A, bool upper) {
  for (int64_t i = 0; i < A.rows; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      if ((upper ? A(i, j) : A(j, i)) != 0) return false;
    }
  }
  return true;
}

/// By powers of two, so that squares of entries stay within double.
int ExponentOf(const Matrix& A) {
  double largest = 0;
  for (const double entry : A.values) largest = std::max(largest, std::fabs(entry));
  return largest > 0 ? std::ilogb(largest) : 0;
}

void RequireConverged(Eigen::ComputationInfo info) {
  if (info == Eigen::Success) return;
  Fail(ExitCode::kBadConfig,
       "The eigenvalues of A did not converge; its entries span too many orders of magnitude. "
       "Choose units in which they are of like size.");
}

}  // namespace

double Eigenvalues::Radius() const {
  double radius = 0;
  for (const std::complex<double>& value : values) radius = std::max(radius, std::abs(value));
  return radius;
}

double Eigenvalues::Abscissa() const {
  double abscissa = -std::numeric_limits<double>::infinity();
  for (const std::complex<double>& value : values) abscissa = std::max(abscissa, value.real());
  return abscissa;
}

Eigenvalues EigenvaluesOf(const Matrix& A) {
  SSM_CHECK(A.rows == A.cols, "only square matrices have eigenvalues");
  Eigenvalues result;
  if (IsTriangular(A, true) || IsTriangular(A, false)) {
    for (int64_t i = 0; i < A.rows; ++i) result.values.emplace_back(A(i, i));
    return result;
  }
  const Matrix balanced = Balance(A).matrix;
  const int exponent = ExponentOf(balanced);
  const Eigen::MatrixXd scaled = ToEigen(balanced).unaryExpr(
      [exponent](double entry) { return std::ldexp(entry, -exponent); });
  const auto unscaled = [exponent](double value) { return std::ldexp(value, exponent); };
  result.rounding = unscaled(4 * static_cast<double>(A.rows) *
                             std::numeric_limits<double>::epsilon() * scaled.norm());
  if (scaled == scaled.transpose()) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled, Eigen::EigenvaluesOnly);
    RequireConverged(solver.info());
    for (const double value : solver.eigenvalues()) result.values.emplace_back(unscaled(value));
    return result;
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(scaled, false);
  RequireConverged(solver.info());
  for (const std::complex<double>& value : solver.eigenvalues()) {
    result.values.emplace_back(unscaled(value.real()), unscaled(value.imag()));
  }
  return result;
}

}  // namespace ssm
