// Element by element: activations, sums, products, scaling.
#pragma once

#include "ssm/autograd/tape.h"
#include "ssm/kernels/pointwise.h"

namespace ssm {

using kernels::Activation;

/// y = f(x), any shape. kNone gives x itself and records nothing.
/// Saved: nothing (the backward recomputes from x). FLOPs: ActivationFlops an element; the backward
/// costs about as much.
template <Scalar T>
Var<T> Activate(Tape<T>& tape, Activation f, Var<T> x);

/// y = a + b, equal shapes. One FLOP an element, the backward two.
template <Scalar T>
Var<T> Add(Tape<T>& tape, Var<T> a, Var<T> b);

/// y = a b, equal shapes. One FLOP an element, the backward four.
template <Scalar T>
Var<T> Multiply(Tape<T>& tape, Var<T> a, Var<T> b);

/// y = factor x. One FLOP an element, the backward two.
template <Scalar T>
Var<T> Scale(Tape<T>& tape, Var<T> x, T factor);

}  // namespace ssm
