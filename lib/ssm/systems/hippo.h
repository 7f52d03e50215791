// HiPPO systems: online approximation of a signal's past by orthogonal polynomials.
#pragma once

#include <cstdint>
#include <vector>

namespace ssm {

/// The positive imaginary parts, ascending, of the eigenvalues of HiPPO-LegS's normal part
/// A + P P^T = -1/2 I + K, P_i = sqrt(i + 1/2) (Gu, Goel and Re 2022, S4). K_ij = -+1/2 r_i r_j,
/// r_i = sqrt(2i + 1), is skew, so i K is Hermitian. `order` is even; the result has order / 2
/// entries, and all real parts are -1/2.
///
/// No matrix is formed. i K - w I is semiseparable: eliminating it row by row keeps one real number
/// s, which each row maps by s/2 <- (s/2 - c) / (1 + c s/2), c = r_i^2 / (2w). With s/2 =
/// tan(phase) a row turns the phase by -atan(c), and a pivot vanishes at the end where the phase is
/// a half turn off. So w is a frequency exactly where sum_i atan((2i + 1) / (2w)) = (k + 1/2) pi
/// for a k >= 0. Cost O(order^2) arctangents, relative accuracy some 1e-15; eigenvectors of A
/// itself have condition 1e19 at order 32.
std::vector<double> LegsNormalFrequencies(int64_t order);

}  // namespace ssm
