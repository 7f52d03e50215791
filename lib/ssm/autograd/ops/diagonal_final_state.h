// The state a convolution leaves behind.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/discretize_diagonal.h"

namespace ssm {

/// A_bar^n h0 + sum_k A_bar^{n-1-k} B_bar x_k over the n tokens since a row's last start (h0 only
/// where there was none): [B, D, M, 2] or [B, D, M]. x [B, T, D]; h0 of the result's shape, read
/// where clock.pos > 0 or a row is all padding.
/// Saved: one state for every 32 tokens. FLOPs 12 B T D M for complex modes, the backward 36.
template <Scalar T>
Var<T> DiagonalFinalState(Tape<T>& tape, Var<T> x, const DiscreteDiagonal<T>& system, Var<T> h0,
                          const Clock& clock);

}  // namespace ssm
