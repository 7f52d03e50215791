// The largest factor by which a matrix stretches a vector.
#pragma once

#include "ssm/systems/matrix.h"

namespace ssm {

/// |A|_2, the largest singular value, from the eigenvalues of A^T A or A A^T, whichever is smaller;
/// to some n eps. Infinite where an entry is, or is NaN; 0 for an empty matrix. O(n^3).
double SpectralNorm(const Matrix& A);

}  // namespace ssm
