// What surrounds the matrix state of Mamba-2: steps, decays, a head's skip.
#pragma once

#include "ssm/autograd/clock.h"

namespace ssm {

/// Of H heads of P channels. Raw steps are columns first_raw, ... of `raw`, x the first H P columns
/// of `x`; both [B, T, W].
template <Scalar T>
struct SsdInputArguments {
  Var<T> raw;
  int64_t first_raw = 0;
  Var<T> x;
  Var<T> log_a, bias;  // [H]
  Var<T> dt;           // [B, T] or none: 1
  T dt_scale = 1;
  double low = 0, high = 0;  // what dt is held between before it meets time
  int64_t channels = 0;      // P
};

template <Scalar T>
struct SsdInputOutputs {
  Var<T> log_decay;  // [B, T, H]: -e^{log_a} dt
  Var<T> values;     // [B, T, H P]: dt x
};

/// dt = clamp(softplus(raw + bias), low, high) time (Dao and Gu 2024). Saved: H numbers. FLOPs
/// about 60 a head and 1 a channel, the backward twice that.
template <Scalar T>
SsdInputOutputs<T> SsdInput(Tape<T>& tape, const SsdInputArguments<T>& arguments);

/// z = y + d_h x: y [B, T, H P], x [B, T, W] whose first H P columns count, d [H]. Saved: nothing.
/// FLOPs 2 an element, the backward 4.
template <Scalar T>
Var<T> HeadSkip(Tape<T>& tape, Var<T> y, Var<T> x, Var<T> d);

}  // namespace ssm
