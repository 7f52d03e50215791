// How much of a memory is left after each token, as a logarithm.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// g = -e^rate log(1 + e^x) dt dt_scale: x [B, T, H], rate [H], dt [B, T] or none (1).
/// Saved: nothing. FLOPs 38 an element, the backward 100.
template <Scalar T>
Var<T> LogDecay(Tape<T>& tape, Var<T> x, Var<T> rate, Var<T> dt, double dt_scale);

}  // namespace ssm
