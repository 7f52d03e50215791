// What the state before the first token adds to a convolution's output.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/discretize_diagonal.h"

namespace ssm {

/// y[b, t] + s Re sum_n C_n A_bar_n^{t+1} h0_n for the tokens of a row before its first start, y
/// elsewhere. y [B, T, D], c [D, M, 2] or [D, M], h0 [B, D, M, 2] or [B, D, M]; s = 2 for complex
/// modes, 1 for real ones.
/// Saved: one state for every 32 tokens. FLOPs 12 B T D M for complex modes, the backward 32.
template <Scalar T>
Var<T> DiagonalResponse(Tape<T>& tape, Var<T> y, const DiscreteDiagonal<T>& system, Var<T> c,
                        Var<T> h0, const Clock& clock);

}  // namespace ssm
