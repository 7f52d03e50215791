// The output of a discrete system, by three routes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ssm/systems/linear_system.h"
#include "ssm/tensor/array.h"

namespace ssm {

struct Simulation {
  Array<double> y;            // [T, p]
  std::vector<double> state;  // [n], after the last step
};

/// All three: y for x [T, m] from the state `start` [n] before the first step (empty: zeros), and
/// the state after the last. They differ by rounding only, at any T, 0 included.
/// @throws Error(kBadConfig), all faults at once: of the system, of shapes, of numbers that are not
/// finite; Error(kRefused) where the result exceeds the free memory.

/// Step by step: h = A h + B x_t, y_t = C h + D x_t. O(T (n + p) (n + m)).
Simulation SimulateByRecurrence(const DiscreteSystem& system, const Array<double>& x,
                                std::span<const double> start = {});

/// y = K * x by transforms of length n >= 2 T - 1, so that nothing wraps around, and C A^{t+1}
/// start added; the state is A^T start + sum_k A^{T-1-k} B x_k. Rounding is relative to the largest
/// y, not to each. O(T n^2 m + p m T log T).
Simulation SimulateByConvolution(const DiscreteSystem& system, const Array<double>& x,
                                 std::span<const double> start = {});

/// In chunks of `chunk` >= 1 steps, a shorter one last: within a chunk by its kernel, from chunk to
/// chunk by h <- A^chunk h + sum_j A^{chunk-1-j} B x_j. O(T (chunk p m + n (p + m)) + T n^2 /
/// chunk).
Simulation SimulateByChunks(const DiscreteSystem& system, const Array<double>& x,
                            std::span<const double> start = {}, int64_t chunk = 64);

}  // namespace ssm
