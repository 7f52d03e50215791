// Causal convolution over time, one kernel for each channel.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// y[b, t, d] = sum_{k <= t} K[d, k] x[b, t - k, d]; x [B, T, D], kernel [D, L] with L >= T, of
/// which the first T taps are used. Up to 64 tokens directly, 2 B D T (T + 1) / 2 FLOPs; longer by
/// FFT of length >= 2T - 1, about 5 n log2 n (B + 1) D FLOPs, and three halves of that in the
/// backward. Saved: nothing; the backward transforms again.
template <Scalar T>
Var<T> FftConv(Tape<T>& tape, Var<T> x, Var<T> kernel);

}  // namespace ssm
