// One number in many places.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// y [n], every entry of it x [1]. The backward costs n FLOPs.
template <Scalar T>
Var<T> Repeat(Tape<T>& tape, Var<T> x, int64_t n);

}  // namespace ssm
