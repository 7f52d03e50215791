#include "ssm/systems/hippo.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <complex>

#include "ssm/base/errors.h"

namespace ssm {

std::vector<double> LegsNormalFrequencies(int64_t order) {
  SSM_CHECK(order > 0 && order % 2 == 0, "the order of a LegS system in pairs is even");
  using Matrix = Eigen::MatrixXcd;
  Matrix hermitian = Matrix::Zero(order, order);
  for (int64_t i = 0; i < order; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      const double k = -0.5 * std::sqrt(static_cast<double>((2 * i + 1) * (2 * j + 1)));
      hermitian(i, j) = {0, k};
      hermitian(j, i) = {0, -k};
    }
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(hermitian, Eigen::EigenvaluesOnly);
  SSM_CHECK(solver.info() == Eigen::Success, "the eigenvalues of LegS did not converge");
  // Ascending, in pairs of opposite sign.
  const auto values = solver.eigenvalues().tail(order / 2);
  return {values.begin(), values.end()};
}

}  // namespace ssm
