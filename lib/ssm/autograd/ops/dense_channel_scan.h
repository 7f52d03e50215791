// Dense state-space channels walked token by token.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/discretize_dplr_zoh.h"

namespace ssm {

/// What a scan runs over. States are [B, D, M, 2] or [B, D, N], N = 2 M: numbers side by side.
template <Scalar T>
struct ChannelScanArguments {
  Var<T> u;     // [B, T, D] or none: no input, what the state before leaves to be read
  Var<T> c;     // [D, N] or none: no output
  Var<T> skip;  // [D] or none
  Var<T> x0;    // the state before the first token, or none: zero
  bool want_last = true;
};

template <Scalar T>
struct ChannelScanOutputs {
  Var<T> y;     // [B, T, D], none without c
  Var<T> last;  // [B, D, M, 2]: the state after each row's last token, none if unwanted
};

/// x_t = A_bar x_{t-1} + b u_t, y_t = c x_t + skip u_t in each channel. x0 is read only where
/// clock.pos > 0. At pos 0 the state before is zero; at pos -1 the state passes and y is 0. c or
/// want_last. Saved: every state, B T D N numbers. FLOPs 2 B T D N (N + 2), the backward twice
/// that.
template <Scalar T>
ChannelScanOutputs<T> ChannelScan(Tape<T>& tape, const DiscreteChannels<T>& system,
                                  const ChannelScanArguments<T>& arguments, const Clock& clock);

}  // namespace ssm
