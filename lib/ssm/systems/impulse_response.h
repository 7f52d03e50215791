// What a discrete system answers to a single input: its convolution kernel.
#pragma once

#include "ssm/systems/linear_system.h"
#include "ssm/systems/modal_system.h"
#include "ssm/tensor/array.h"

namespace ssm {

/// K [steps, p, m]: K_0 = C B + D, K_k = C A^k B (the time convention of DiscreteSystem), so that
/// from h = 0 y_t = sum_k K_k x_{t-k}. By the recurrence A^k B = A (A^{k-1} B), which keeps the
/// digits of a decaying response at any length. O(steps n (n + p) m).
/// @throws Error(kBadConfig) for a system with faults or steps < 0; Error(kRefused) where the
/// result exceeds the free memory.
Array<double> ImpulseResponse(const DiscreteSystem& system, int64_t steps);

/// The same in closed form, K_k = sum over modes of (2 Re) C pole^k B. Powers start anew every 64
/// steps by repeated squaring, so rounding grows with log k. O(steps modes p m).
Array<double> ImpulseResponse(const DiscreteModalSystem& system, int64_t steps);

}  // namespace ssm
