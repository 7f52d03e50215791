// One diagonal state for all channels: what s5 and lru have in common.
#pragma once

#include "ssm/autograd/ops/discretize_diagonal.h"
#include "ssm/mixers/sequence_mixer.h"
#include "ssm/nn/parameters.h"

namespace ssm {

/// h_t = h_{t-1} + (A_bar - 1) h_{t-1} + W_in x_t, y_t = W_out h_t + D x_t with P complex modes as
/// pairs of reals.
template <Scalar T>
struct ModeSystem {
  Var<T> a_minus_1;  // [P, 2], or [B, T, P, 2] where every token has its own
  Var<T> w_in;       // [2 P, H]
  Var<T> w_out;      // [H, 2 P]
  Var<T> d;          // [H]
};

/// The outputs over a piece, given W_in x [B, T, 2 P] (or what stands for it). `h0` [B, P, 2]: the
/// state before. FLOPs of a token 4 P H + 8 P + 2 H.
template <Scalar T>
Outputs<T> RunModes(Tape<T>& tape, const Inputs<T>& in, const ModeSystem<T>& system, Var<T> driven,
                    Var<T> h0, Want want);

/// What a token with a step of its own needs.
template <Scalar T>
struct ContinuousModes {
  DiagonalParameters<T> parameters;  // [P] each
  Var<T> w_in;                       // [2 P, H], before discretisation
};

/// The norm of row p of B [P, H, 2].
template <Scalar T>
double RowNorm(const Tape<T>& tape, Var<T> b, size_t p);

/// One token at a time: a snapshot of `system` on `tape`. Without `continuous` the time between
/// tokens is not seen. Cost of a token 8 P H FLOPs.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeModeStepper(const Tape<T>& tape, int64_t batch,
                                            const ModeSystem<T>& system,
                                            const ContinuousModes<T>* continuous = nullptr);

}  // namespace ssm
