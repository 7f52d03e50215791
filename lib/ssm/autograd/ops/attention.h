// Causal softmax attention as one operation.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/far_keys.h"

namespace ssm {

/// Distances of a query and a key lower or raise their score: none, ALiBi's slopes, or a table
/// [heads, distances], whose last entry stands for all larger distances.
template <Scalar T>
struct AttentionBias {
  bool alibi = false;
  Var<T> table;
};

/// What each token's own sequence shows it: its newest `window` tokens, itself counted (0: all).
/// With group > 1 those in front of the window whose group of `group` tokens, counted from the
/// first, is not complete yet are seen too. And what `far` says.
template <Scalar T>
struct AttentionView {
  int64_t heads = 1;
  int64_t window = 0;
  int64_t group = 1;
  AttentionBias<T> bias = {};
  FarKeys<T> far = {};
};

/// Slopes [heads] of ALiBi in the tape's arena (unwritten in kPlan); null for other biases.
template <Scalar T>
const T* AlibiSlopes(Tape<T>& tape, const AttentionView<T>& view);

/// y [B, T, D] = sum_j softmax_j(q . k_j / sqrt(D / heads) + bias) v_j in each head, over what a
/// token sees. qkv [B, T, 3 D] holds q, k and v of each token; k_cache and v_cache [B, entries, D]
/// those of the tokens before, that of position p at entry p mod entries, or none when the clock is
/// fresh. Padding gives 0. Gradients flow into all three, the table and
/// the far keys.
/// Saved: 2 numbers a token and head. FLOPs 4 D for each token and key it sees, one more a head
/// with a bias; the backward, which computes the weights again, costs 2.5 times that.
template <Scalar T>
Var<T> Attention(Tape<T>& tape, Var<T> qkv, Var<T> k_cache, Var<T> v_cache,
                 const AttentionView<T>& view, const Clock& clock);

}  // namespace ssm
