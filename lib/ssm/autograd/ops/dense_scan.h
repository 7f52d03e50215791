// A linear recurrence with a dense matrix, every state of it.
#pragma once

#include "ssm/autograd/clock.h"

namespace ssm {

template <Scalar T>
struct DenseScanOutputs {
  Var<T> h;     // shaped as u
  Var<T> last;  // [B, N] or [B, G, N]: the state after each row's last token
};

/// h[t] = h[t-1] + (A - 1) h[t-1] + u[t]. u [B, T, N] with a_minus_1 [N, N], or u [B, T, G, N] with
/// [G, N, N], a matrix for each group; h0 shaped as one token's u for each row, or none (zero). At
/// clock.pos 0 the state before is zero; at pos -1 it passes unchanged. Saved: the packed matrix
/// beyond h, which the backward reads. FLOPs 2 B T G N^2, the backward twice that.
template <Scalar T>
DenseScanOutputs<T> DenseScan(Tape<T>& tape, Var<T> a_minus_1, Var<T> u, Var<T> h0,
                              const Clock& clock);

}  // namespace ssm
