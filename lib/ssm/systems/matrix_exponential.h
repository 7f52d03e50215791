// e^A of a dense matrix.
#pragma once

#include "ssm/systems/matrix.h"

namespace ssm {

/// e^A for square A, by scaling, a [13/13] Pade approximant and doubling, the scaling chosen from
/// the norms of A's powers, so that nilpotent and non-normal matrices are not scaled too far
/// (Higham 2005; Al-Mohy and Higham 2009), on the balanced matrix.
///
/// Doubling keeps two forms: E = e^A - 1 by E <- 2 E + E^2, in which slow modes beside fast ones
/// keep their digits, and X = e^A by X <- X^2, in which decayed ones do. Entries of decayed rows
/// and columns come from X, all others from 1 + E. A triangular A has an exactly triangular e^A.
///
/// Where squares lose digits, as those of a dense A do whose e^{sA} grows before it decays, the
/// same is done on the Schur form.
///
/// Entries are infinite or NaN where e^A is beyond double. O(n^3 (8 + 2 log2 |A|)).
Matrix Exponential(const Matrix& A);

}  // namespace ssm
