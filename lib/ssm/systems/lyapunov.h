// Lyapunov equations, discrete and continuous.
#pragma once

#include "ssm/systems/matrix.h"

namespace ssm {

/// The X with X = A X A^T + Q; A and Q [n, n], Q of any kind. By the complex Schur form of A and
/// one triangular solve a column (Kitagawa 1977). O(n^3).
/// @throws Error(kBadData) where two eigenvalues of A have product 1: no X or many.
Matrix SolveDiscreteLyapunov(const Matrix& A, const Matrix& Q);

/// The X with A X + X A^T + Q = 0 (Bartels and Stewart 1972). O(n^3).
/// @throws Error(kBadData) where two eigenvalues of A have sum 0: no X or many.
Matrix SolveContinuousLyapunov(const Matrix& A, const Matrix& Q);

}  // namespace ssm
