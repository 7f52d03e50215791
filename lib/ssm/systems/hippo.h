// HiPPO systems: online approximation of a signal's past by orthogonal polynomials.
#pragma once

#include <cstdint>
#include <vector>

namespace ssm {

/// The positive imaginary parts, ascending, of the eigenvalues of HiPPO-LegS's normal part
/// A + P P^T = -1/2 I + K, P_i = sqrt(i + 1/2) (Gu, Goel and Re 2022, S4). K_ij = -+1/2 r_i r_j,
/// r_i = sqrt(2i + 1), is skew, so i K is Hermitian: a stable problem, where the eigenvectors of A
/// itself have condition 1e19 at order 32. `order` is even; the result has order / 2 entries, and
/// all real parts are -1/2. Cost O(order^3).
std::vector<double> LegsNormalFrequencies(int64_t order);

}  // namespace ssm
