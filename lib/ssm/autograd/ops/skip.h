// What a layer passes by its state: a gain for each channel.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// z = y + d x: x and y [..., H], d [H].
/// Saved: nothing. FLOPs 2 an element, the backward 4.
template <Scalar T>
Var<T> Skip(Tape<T>& tape, Var<T> y, Var<T> x, Var<T> d);

}  // namespace ssm
