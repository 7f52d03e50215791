// The steps a selective layer takes from token to token.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/kernels/step_sizes.h"

namespace ssm {

using kernels::StepLimits;

/// y[b, t, e] = dt_scale dt[b, t] clamp(softplus(raw[b, t, e]), limits), [B, T, E]; raw [B, T, E],
/// or [E] for all tokens; dt [B, T] or none (1). No gradient passes the clamp where it holds.
/// Saved: nothing. FLOPs: softplus and 3 an element; the backward about thrice that.
template <Scalar T>
Var<T> StepSizes(Tape<T>& tape, Var<T> raw, const StepLimits& limits, Var<T> dt, T dt_scale,
                 const Clock& clock);

}  // namespace ssm
