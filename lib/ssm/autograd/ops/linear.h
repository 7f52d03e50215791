// An affine map of the last axis.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// y [..., out] = x [..., in] W^T + b, W [out, in], b [out] or none.
/// Saved: nothing. FLOPs 2 rows in out (+ rows out); the backward costs twice that.
template <Scalar T>
Var<T> Linear(Tape<T>& tape, Var<T> x, Var<T> weight, Var<T> bias = {});

}  // namespace ssm
