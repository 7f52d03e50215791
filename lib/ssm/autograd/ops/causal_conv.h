// Short causal convolutions in front of selective layers.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/columns.h"

namespace ssm {

template <Scalar T>
struct CausalConvOutputs {
  Var<T> y;     // [B, T, E]
  Var<T> ring;  // [B, K - 1, E], or none where it is not wanted
};

/// y_t = bias + sum_{k = 0}^{K - 1} w[:, K - 1 - k] x_{t-k} for each of E channels alone, taps that
/// would reach in front of the sequence left out; 0 at padding. x: `columns` of [B, T, W], E of
/// them; weight [E, K], 1 <= K <= 8, its last tap the current input (PyTorch's depthwise Conv1d);
/// bias [E] or none. `ring` [B, K - 1, E], or none where no row continues, holds the inputs before
/// the piece, that of position p at entry p mod (K - 1); what it holds after the piece is
/// RingWrite's (cache_write.h), a second node.
/// Saved: nothing. FLOPs 2 B T E K; the backward twice that.
template <Scalar T>
CausalConvOutputs<T> CausalConv(Tape<T>& tape, Var<T> x, const Columns& columns, Var<T> weight,
                                Var<T> bias, Var<T> ring, const Clock& clock, bool want_ring);

}  // namespace ssm
