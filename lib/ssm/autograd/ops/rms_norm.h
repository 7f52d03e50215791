// Root-mean-square normalisation over the last axis.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// y = x / sqrt(mean x^2 + 1e-5) weight, x [..., D], weight [D] (Zhang and Sennrich 2019).
/// With `groups` > 1 each of that many equal parts of the axis (heads) is normalised by itself.
/// Saved: the inverse root mean square of each part. FLOPs 4 an element, the backward 10.
template <Scalar T>
Var<T> RmsNorm(Tape<T>& tape, Var<T> x, Var<T> weight, int64_t groups = 1);

}  // namespace ssm
