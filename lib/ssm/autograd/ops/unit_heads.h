// Groups of columns made unit vectors.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// y [..., W] = x with each of the first `heads` groups of d_head columns divided by the root of
/// its sum of squares plus 1e-6, the first n groups multiplied by scale [n] after; the other
/// columns as they are. scale may be none. Saved: nothing. FLOPs 4 a column, the backward 8.
template <Scalar T>
Var<T> UnitHeads(Tape<T>& tape, Var<T> x, int64_t heads, int64_t d_head, Var<T> scale);

}  // namespace ssm
