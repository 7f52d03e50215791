// Matrices brought to rows and columns of like size, without rounding.
#pragma once

#include <vector>

#include "ssm/systems/matrix.h"

namespace ssm {

/// matrix = D^-1 A D with D_i = 2^exponents[i], so it has A's eigenvalues exactly.
struct BalancedMatrix {
  Matrix matrix;
  std::vector<int> exponents;
};

/// Takes powers of two from rows to columns (or back) until, off the diagonal, the norms of row i
/// and of column i are within a factor of about 2 (Parlett and Reinsch 1969, by 2-norms as in
/// James, Langou and Lowery 2014). Rows or columns that are zero there are left as they are. `A` is
/// square and finite. O(n^2) a sweep, a few sweeps.
BalancedMatrix Balance(const Matrix& A);

}  // namespace ssm
