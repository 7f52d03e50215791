// Every token mixed with the one before it.
#pragma once

#include "ssm/autograd/clock.h"

namespace ssm {

/// y_t = mix x_t + (1 - mix) x_{t-1}; x [B, T, D], mix [D]. At clock.pos 0 the token before is 0;
/// `tail` [B, 1, D] is the one before the first, none: 0. Padding gives 0. Saved: nothing. FLOPs 4
/// an element, the backward 8.
template <Scalar T>
Var<T> TokenShift(Tape<T>& tape, Var<T> x, Var<T> mix, Var<T> tail, const Clock& clock);

}  // namespace ssm
