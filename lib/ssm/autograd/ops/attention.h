// Causal softmax attention as one operation.
#pragma once

#include "ssm/autograd/clock.h"

namespace ssm {

/// y [B, T, D] = sum_j softmax_j(q . k_j / sqrt(D / heads)) v_j in each of `heads` heads, over the
/// newest `window` tokens of a token's own sequence, itself counted (0: all of them). qkv [B, T,
/// 3 D] holds q, k and v of each token; k_cache and v_cache [B, entries, D] those of the tokens
/// before, that of position p at entry p mod entries, or none when the clock is fresh. Padding
/// gives 0. Gradients flow into all three.
/// Saved: 2 numbers a token and head. FLOPs 4 D for each token and key it sees; the backward, which
/// computes the weights again, costs 2.5 times that.
template <Scalar T>
Var<T> Attention(Tape<T>& tape, Var<T> qkv, Var<T> k_cache, Var<T> v_cache, int64_t heads,
                 int64_t window, const Clock& clock);

}  // namespace ssm
