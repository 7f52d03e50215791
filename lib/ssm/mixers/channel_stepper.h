// The streaming face of dense state-space channels.
#pragma once

#include "ssm/autograd/ops/discretize_dplr_zoh.h"
#include "ssm/mixers/sequence_mixer.h"

namespace ssm {

/// Values on a tape: x_t = A_bar x_{t-1} + b u_t, y_t = c x_t + skip u_t in each of D channels.
template <Scalar T>
struct ChannelSnapshot {
  DiscreteChannels<T> system;
  Var<T> c;     // [D, N]
  Var<T> skip;  // [D]
};

/// Slot 0 is [B, D, M, 2] with N = 2 M. Cost of a token 2 D N (N + 2) FLOPs.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeChannelStepper(const Tape<T>& tape, int64_t batch,
                                               const ChannelSnapshot<T>& snapshot);

}  // namespace ssm
