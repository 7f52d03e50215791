// Discretisation of a dense system whose parameters are trained.
#pragma once

#include "ssm/autograd/tape.h"
#include "ssm/kernels/discretize_dense.h"

namespace ssm {

using kernels::DenseRule;

/// h' = A h + B x of N states and M inputs, with step dt = dt_scale exp(log_dt). All with a leading
/// axis G where there are G systems; else log_dt is [1].
///
/// With `p` [N, R], R <= N, A = W - W^T - P P^T - margin 1, W in `a` [N, N]: A + A^T <= -2 margin
/// whatever W and P are, so every |e^{tA}| <= e^{-margin t}. Of W only the skew part counts.
/// Without, A is `a` itself.
template <Scalar T>
struct DenseParameters {
  Var<T> log_dt, a, p, b;  // p may be none; b [N, M]
  double margin = 0;
  double dt_scale = 1;
  DenseRule rule = DenseRule::kZoh;
};

template <Scalar T>
struct DiscreteDense {
  Var<T> a_minus_1;  // shaped as a
  Var<T> b_bar;      // shaped as b
};

/// See kernels/discretize_dense.h. A is formed and discretised in double whatever T is. The
/// gradients are exact. Saved: nothing, but scratch of some 10 N (N + M) doubles. FLOPs for each
/// system as kernels::DiscretizeDenseFlops, the backward three times that.
template <Scalar T>
DiscreteDense<T> DiscretizeDense(Tape<T>& tape, const DenseParameters<T>& parameters);

}  // namespace ssm
