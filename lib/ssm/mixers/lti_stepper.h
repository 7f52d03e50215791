// The streaming face of dense systems.
#pragma once

#include "ssm/mixers/sequence_mixer.h"

namespace ssm {

/// h_t = h_{t-1} + (A_bar - 1) h_{t-1} + B_bar x_t, y_t = C h_t + D x_t on a tape.
template <Scalar T>
struct LtiSnapshot {
  Var<T> a_minus_1;  // [N, N]
  Var<T> b_bar;      // [N, H]
  Var<T> c, d;       // [H, N], [H, H]
};

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeLtiStepper(const Tape<T>& tape, int64_t batch,
                                           const LtiSnapshot<T>& snapshot);

}  // namespace ssm
