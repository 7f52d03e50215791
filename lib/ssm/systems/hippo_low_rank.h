// HiPPO matrices as a normal matrix minus one of low rank, and the diagonal form that S4 starts
// from.
#pragma once

#include <complex>
#include <vector>

#include "ssm/systems/hippo_matrices.h"

namespace ssm {

/// A = normal - P P^T (Gu, Goel and Re 2022, S4, theorem 1). In all cases normal =
/// real_part I + a skew matrix.
struct NormalMinusLowRank {
  double real_part = 0;  // of every eigenvalue of `normal`
  Matrix normal;         // [N, N]
  Matrix P;              // [N, rank]
};

/// LegS: rank 1, P_i = sqrt(i + 1/2), real part -1/2. LegT: rank 2, r_i at even i and at odd i, 0
/// (halved: over sqrt 2). LagT: rank 1, sqrt(1/2), 0. Generalised LagT at alpha = 0: the same P,
/// -beta / 2. FouT: rank 1, P = B, 0. @throws Error(kBadConfig) for LMU and for alpha other than 0,
/// whose scalings are not orthonormal (LMU remembers what LegT does), and for options that are not
/// valid.
NormalMinusLowRank SplitHippo(const HippoOptions& options);

/// A = V (diag(lambda) - P P*) V*, V unitary: with h = V* c, h' = (diag(lambda) - P P*) h + B f. An
/// output C c is (C V) h.
struct DiagonalMinusLowRank {
  int64_t order = 0, rank = 0;
  std::vector<std::complex<double>> lambda;  // [N], by ascending imaginary part
  std::vector<std::complex<double>> P;       // [N, rank], V* P
  std::vector<std::complex<double>> B;       // [N], V* B
  std::vector<std::complex<double>> V;       // [N, N], one eigenvector a column
};

/// By the Hermitian eigenproblem of -i times the skew part, which is well conditioned; A itself is
/// never diagonalised (its eigenvectors have condition 8e10 at N = 16 for LegS). Each eigenvector's
/// phase is set so that its B is real and not negative, so the same options give the same numbers.
/// Eigenvalues and reconstruction are good to some 1e-15 N of the largest. O(N^3).
/// @throws as SplitHippo does.
DiagonalMinusLowRank DiagonaliseHippo(const HippoOptions& options);

}  // namespace ssm
