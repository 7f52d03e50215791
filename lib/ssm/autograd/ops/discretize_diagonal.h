// Discretisation of a diagonal continuous system whose parameters are trained.
#pragma once

#include "ssm/autograd/tape.h"
#include "ssm/kernels/discretize.h"

namespace ssm {

using kernels::DiscretizationRule;

/// D channels of M modes: x' = A x + u with A = -exp(log_a_real) + i a_imag and step
/// dt = dt_scale exp(log_dt). Or M modes with a step each: log_dt, log_a_real and a_imag are [M],
/// and what follows from them has no axis D.
template <Scalar T>
struct DiagonalParameters {
  Var<T> log_dt;      // [D]
  Var<T> log_a_real;  // [D, M]
  Var<T> a_imag;      // [D, M], or none: real modes
  double dt_scale = 1;
  DiscretizationRule rule = DiscretizationRule::kZoh;
};

/// x_k = A_bar x_{k-1} + B_bar u_k. Complex modes are pairs of reals in the last axis (the
/// conjugate of each is implied); real modes have no such axis.
template <Scalar T>
struct DiscreteDiagonal {
  Var<T> a_minus_1;  // [D, M, 2] or [D, M]: A_bar - 1, which keeps slow modes exact in float
  Var<T> b_bar;      // [D, M, 2] or [D, M]
};

/// Computed in double whatever T is; see kernels/discretize.h for the rules. The gradients are
/// exact. Saved: nothing. FLOPs about 60 a mode, the backward 120.
template <Scalar T>
DiscreteDiagonal<T> DiscretizeDiagonal(Tape<T>& tape, const DiagonalParameters<T>& parameters);

}  // namespace ssm
