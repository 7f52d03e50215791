// Weighted binary cross-entropy of logits.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// sum [1] = sum of w (softplus(y) - target y) in nats, y logits [B, T, O], targets in [0, 1] of
/// the same shape, w [B, T] or [B, T, O]; softplus keeps any logit finite. target and w are
/// constants; where w is 0 nothing else is read. Summed in double in the order of elements.
/// Saved: nothing. FLOPs softplus + 4 an element, the backward sigmoid + 3.
template <Scalar T>
Var<T> BinaryCrossEntropy(Tape<T>& tape, Var<T> y, Var<T> target, Var<T> weight);

}  // namespace ssm
