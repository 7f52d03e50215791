// Scaling to unit length, head by head.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// y = x / sqrt(|x|^2 + eps) over each of the first `groups` parts of `width` columns of x [...,
/// N], the columns behind them unchanged. Saved: a number for each part. FLOPs 3 an element that is
/// scaled, the backward 6.
template <Scalar T>
Var<T> UnitNorm(Tape<T>& tape, Var<T> x, int64_t groups, int64_t width, double eps);

}  // namespace ssm
