// Weighted cross-entropy of a softmax over classes.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// sum [1] = sum of w (log sum_o exp y_o - y_target) in nats, y logits [B, T, O], target class ids
/// [B, T, 1] as numbers, w [B, T]. target and w are constants; where w is 0 nothing else is read.
/// Summed in double in the order of tokens.
/// Saved: log-sum-exp of each token. FLOPs 24 an element, the backward 24.
/// @throws Error(kBadData) when a weighted target is not an integer in 0..O-1.
template <Scalar T>
Var<T> SoftmaxCrossEntropy(Tape<T>& tape, Var<T> y, Var<T> target, Var<T> weight);

}  // namespace ssm
