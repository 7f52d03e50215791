// Attention over segments and a memory before them, or over a sliding window, with scores that know
// the distance.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/kernels/relative_attention.h"

namespace ssm {

/// Distances are 0 to reach.Distances() - 1. Any of them may be none: r, u and v together.
template <Scalar T>
struct RelativeAttentionInputs {
  Var<T> qkv;      // [B, T, 3 D]: q, k, v
  Var<T> kv_stop;  // [B, T, 2 D] of stopped inputs; none: gradients stop nowhere
  Var<T> ring,
      ring_stop;   // [B, entries, 2 D] k, v of the tokens before: position p at p mod entries
  Var<T> r, u, v;  // [distances, D], [D], [D]
  Var<T> bias;     // [heads, buckets]
  Ints bucket;     // [distances]
};

/// y [B, T, D] = sum_j softmax_j(scale ((q + u) . k_j + (q + v) . r_distance) + bias[bucket]) v_j
/// in each head, over the keys that `reach` gives. Keys and values of segments before a query's own
/// are read from kv_stop and ring_stop. Padding gives 0, and so does a token that sees nothing.
/// Saved: nothing; scratch of 3 blocks of 32 queries by the keys they see, whatever T. FLOPs 6 D a
/// token and key it sees, 4 D without r; the backward, which computes the weights again, about 3
/// times that.
template <Scalar T>
Var<T> RelativeAttention(Tape<T>& tape, const RelativeAttentionInputs<T>& in, int64_t heads,
                         const kernels::KeyReach& reach, double scale, const Clock& clock);

}  // namespace ssm
