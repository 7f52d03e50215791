// A diagonal state-space layer walked token by token, fused: no state is stored but checkpoints.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/discretize_diagonal.h"

namespace ssm {

template <Scalar T>
struct ScanOutputs {
  Var<T> y;     // [B, T, D]
  Var<T> last;  // [B, D, M, 2] or [B, D, M]: the state after each row's last token
};

/// h_t = A_bar h_{t-1} + B_bar x_t, y_t = s Re(C h_t) + skip x_t: s = 2 for complex modes (one of
/// each conjugate pair), 1 for real ones (Gu, Gupta, Goel and Re 2022, S4D).
/// x [B, T, D]; c [D, M, 2] or [D, M]; skip [D] or none; h0 shaped as `last`, the state before the
/// first token: read only where clock.pos > 0. At pos 0 the state before is zero; at pos -1 the
/// state passes and y is 0.
/// Saved: one state for every 32 tokens of a row. FLOPs for complex modes 16 B T D M, the backward
/// 44; for real modes 6 and 16.
template <Scalar T>
ScanOutputs<T> S4dScan(Tape<T>& tape, Var<T> x, const DiscreteDiagonal<T>& system, Var<T> c,
                       Var<T> skip, Var<T> h0, const Clock& clock);

}  // namespace ssm
