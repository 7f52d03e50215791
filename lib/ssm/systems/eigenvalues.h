// Eigenvalues of a real matrix, and how far rounding lets them be trusted.
#pragma once

#include <complex>
#include <vector>

#include "ssm/systems/matrix.h"

namespace ssm {

struct Eigenvalues {
  std::vector<std::complex<double>> values;  // conjugates side by side, the positive one first
  /// 4 n eps |A|_F of the balanced matrix: each value is exact for a matrix this close to A. 0
  /// where they were read off the diagonal of a triangular matrix. A defective value moves by more,
  /// as the n-th root of it.
  double rounding = 0;

  /// max |lambda|; 0 where there is none.
  double Radius() const;
  /// max Re lambda; -inf where there is none.
  double Abscissa() const;
};

/// Of square, finite A, in no order. Symmetric matrices give real values. O(n^3).
/// @throws Error(kBadConfig) where the iteration does not converge.
Eigenvalues EigenvaluesOf(const Matrix& A);

}  // namespace ssm
