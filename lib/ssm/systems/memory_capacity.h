// How much of its past inputs a linear system's state holds.
#pragma once

#include <vector>

#include "ssm/systems/linear_system.h"

namespace ssm {

/// For white input of unit variance, states in their stationary distribution, and the best linear
/// read-out of h_t + noise.
struct MemoryCapacity {
  Matrix by_lag;     // [lags, m]: R^2 of recalling input j of k steps ago, x_{t-k}; lag 0 is x_t
  double total = 0;  // the sum over all lags without end and all inputs
};

/// Jaeger's memory capacity (2001, "Short term memory in echo state networks") in closed form. With
/// g_k = A^k B and S = sum_k g_k g_k^T, lag k has R^2 = g_k^T (S + noise^2 I)^-1 g_k for each
/// column, and the sum over lags is the trace of (S + noise^2 I)^-1 S. Without noise that is the
/// number of states that inputs reach: n for a controllable pair, whatever its poles.
///
/// `noise` >= 0 is the standard deviation of what is added to each state before it is read. Without
/// it, S is not inverted nor formed: R^2 is the energy at lag k of orthonormal filters with the
/// poles of A (Takenaka and Malmquist's for one input), so near-singular S costs no digits. Whether
/// inputs reach a state is decided to the rounding of A's and B's entries. C and D
/// are not looked at, and neither is the scale of B as a whole. O(n^3 + lags n m^3), with noise
/// O(n^3 + lags n^2 m).
/// @throws Error(kBadData) naming a pole that is not stable.
MemoryCapacity MemoryCapacityOf(const DiscreteSystem& system, int64_t lags, double noise = 0);

}  // namespace ssm
