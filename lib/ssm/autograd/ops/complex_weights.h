// Complex matrices as the weights of real affine maps whose pairs (re, im) lie side by side.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// W [2 P, H] such that Linear(x, W) of real x [..., H] holds scale B x as P pairs: row 2 p is the
/// real part of scale_p B_p, row 2 p + 1 its imaginary part. B [P, H, 2]; scale complex [P, 2],
/// real [P], or none (1). Saved: nothing. FLOPs 6 P H, the backward 12.
template <Scalar T>
Var<T> ComplexInputWeight(Tape<T>& tape, Var<T> b, Var<T> scale);

/// W [H, 2 P] such that Linear(h, W) of P pairs h is factor Re(C h). C [H, P, 2].
/// Saved: nothing. FLOPs 2 P H, the backward as many.
template <Scalar T>
Var<T> ComplexOutputWeight(Tape<T>& tape, Var<T> c, T factor);

}  // namespace ssm
