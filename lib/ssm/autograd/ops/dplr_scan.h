// A diagonal minus rank-one state-space layer walked token by token, fused: no state is stored but
// checkpoints.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/discretize_dplr.h"

namespace ssm {

/// What a scan runs over.
template <Scalar T>
struct DplrScanArguments {
  Var<T> u;     // [B, T, D] or none: no input, what the state before leaves to be read
  Var<T> c;     // [D, M, 2] or none: no output
  Var<T> skip;  // [D] or none
  Var<T> x0;    // [B, D, M, 2] or none: the state before the first token
  bool want_last = true;
};

template <Scalar T>
struct DplrScanOutputs {
  Var<T> y;     // [B, T, D], none without c
  Var<T> last;  // [B, D, M, 2]: the state after each row's last token, none if unwanted
};

/// x_t = a x_{t-1} - v phi(x_{t-1}) + b u_t, y_t = 2 Re sum c_n x_n + skip u_t in each channel,
/// O(M) a token (Gu, Goel and Re 2022, S4: the recurrence of section 3). x0 is read only where
/// clock.pos > 0. At pos 0 the state before is zero; at pos -1 the state passes and y is 0. c or
/// want_last. Saved: one state for every 32 tokens of a row. FLOPs 26 B T D M, the backward 80.
template <Scalar T>
DplrScanOutputs<T> DplrScan(Tape<T>& tape, const DiscreteDplr<T>& system,
                            const DplrScanArguments<T>& arguments, const Clock& clock);

}  // namespace ssm
