// Discretisation of a diagonal minus rank-one system whose parameters are trained.
#pragma once

#include "ssm/autograd/tape.h"
#include "ssm/kernels/discretize_dplr.h"

namespace ssm {

/// D channels of M conjugate pairs, one of each kept: x' = (Lambda - P P*) x + B u with Lambda =
/// -exp(log_a_real) + i a_imag and step dt = dt_scale exp(log_dt). -P P* keeps every eigenvalue in
/// the left half plane.
template <Scalar T>
struct DplrParameters {
  Var<T> log_dt;      // [D]
  Var<T> log_a_real;  // [D, M]
  Var<T> a_imag;      // [D, M]
  Var<T> p;           // [D, M, 2]
  Var<T> b;           // [D, M, 2]
  double dt_scale = 1;
};

/// x_k = a x_{k-1} - v phi(x_{k-1}) + b u_k with phi(x) = 2 Re sum f_n x_n; [D, M, 2] each. a is
/// held as a - 1, which keeps slow modes exact in float.
template <Scalar T>
struct DiscreteDplr {
  Var<T> a_minus_1, v, f, b;
};

/// The bilinear rule; see kernels/discretize_dplr.h. Computed in double whatever T is. The
/// gradients are exact. Saved: nothing. FLOPs about 60 a mode, the backward 150.
template <Scalar T>
DiscreteDplr<T> DiscretizeDplr(Tape<T>& tape, const DplrParameters<T>& parameters);

}  // namespace ssm
