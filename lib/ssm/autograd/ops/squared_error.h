// Weighted squared error.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// sum [1] = sum of w (y - target)^2, y and target [B, T, O], w [B, T] or [B, T, O]. target and w
/// are constants; where w is 0 neither y nor target is read (missing targets may be NaN). Summed in
/// double in the order of elements.
/// Saved: nothing. FLOPs 4 an element, the backward 4.
template <Scalar T>
Var<T> SquaredError(Tape<T>& tape, Var<T> y, Var<T> target, Var<T> weight);

}  // namespace ssm
