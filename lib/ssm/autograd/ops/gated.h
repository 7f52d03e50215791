// Gated linear units.
#pragma once

#include "ssm/autograd/ops/columns.h"
#include "ssm/autograd/ops/pointwise.h"

namespace ssm {

/// y [..., D] = a sigmoid(b), x [..., 2 D] = [a, b] (GLU, Dauphin et al. 2017).
/// Saved: nothing. FLOPs: sigmoid + 1 an output; the backward about twice that.
template <Scalar T>
Var<T> Glu(Tape<T>& tape, Var<T> x);

/// y = f(gate) value, equal shapes (SwiGLU with kSilu, Shazeer 2020).
/// Saved: nothing. FLOPs: ActivationFlops + 1 an element; the backward about twice that.
template <Scalar T>
Var<T> GatedProduct(Tape<T>& tape, Activation f, Var<T> gate, Var<T> value);
/// The same with columns of `gate` [..., W], as many as value [..., D] has.
template <Scalar T>
Var<T> GatedProduct(Tape<T>& tape, Activation f, Var<T> gate, const Columns& columns, Var<T> value);

}  // namespace ssm
