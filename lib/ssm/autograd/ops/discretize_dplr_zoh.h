// Zero-order hold of a diagonal minus rank-one system whose parameters are trained.
#pragma once

#include "ssm/autograd/ops/discretize_dplr.h"

namespace ssm {

/// Dense steps of D channels with N = 2 M numbers of state (re, im side by side) and one input.
template <Scalar T>
struct DiscreteChannels {
  Var<T> a_minus_1;  // [D, N, N]
  Var<T> b_bar;      // [D, N]
};

/// exp(dt (Lambda - P P*)) is no longer diagonal minus rank one, so the step is formed on real and
/// imaginary parts: of z' = (Lambda - P P*) z + B u with both of every pair, q = (Re P, Im P) gives
/// A = blocks [[-a, -w], [w, -a]] - 2 q q^T. See kernels/discretize_dense.h for the step and its
/// gradient, in double whatever T is. Saved: nothing. FLOPs some 34 D N^3 and more with |dt A|, the
/// backward three times that.
template <Scalar T>
DiscreteChannels<T> DiscretizeDplrZoh(Tape<T>& tape, const DplrParameters<T>& parameters);

}  // namespace ssm
