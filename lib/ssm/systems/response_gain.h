// How large a discrete system's response can get: to a bounded input, and to its initial state.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/systems/linear_system.h"

namespace ssm {

/// sum_k |K_k|_inf lies in [value, value + tail].
struct ResponseGain {
  double value = 0;   // over the terms that were summed
  double tail = 0;    // a bound on all others
  int64_t terms = 0;  // summed
  /// max_i sum_k sum_j |K_k(i, j)| over the same terms: the largest output that one input within
  /// [-1, 1] causes. At most `value`, and equal to it with one output; short of what all terms give
  /// by at most `tail`.
  double largest_output = 0;
};

/// sum_k |K_k| in the norm of largest row sums: no input within [-1, 1] makes an output larger.
/// With several outputs it may be more than any reaches, as rows of different K_k can be the
/// largest: see largest_output. Terms are summed until the bound on the tail is 1e-12 of
/// them, at most `most_terms`. The tail after L terms is at most |C A^L| W / (1 - |A^N|) with |A^N|
/// < 1/2 and W >= sum_{i<N} |A^i B|, found by squaring. Infinite unless every mode decays, seen by
/// C or not. O(terms n (n + m) p + n^3 log N).
/// @throws Error(kBadConfig) for a system with faults.
ResponseGain ResponseGainOf(const DiscreteSystem& system, int64_t most_terms = int64_t{1} << 20);

/// |C A^{k+1}|_2 for k < steps: the largest |y_k|_2 that an initial state with |h|_2 = 1 can cause
/// (k = 0 being the first output). Infinite from where it exceeds double. O(steps n^2 (n + p)).
/// @throws Error(kBadConfig) for a system with faults or steps < 0.
std::vector<double> InitialStateEnvelope(const DiscreteSystem& system, int64_t steps);

}  // namespace ssm
