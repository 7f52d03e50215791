// The steps of a fixed dense memory whose step length is trained.
#pragma once

#include "ssm/autograd/tape.h"
#include "ssm/kernels/discretize_memory.h"

namespace ssm {

template <Scalar T>
struct DiscreteMemory {
  Var<T> a_minus_1;  // A_bar - 1 [N, N]
  Var<T> b_bar;      // [N]
};

/// The step is dt, times e^log_dt where log_dt [1] is given. `system` is read again in the backward
/// and outlives it, as what Tape::Bind borrows does.
template <Scalar T>
struct MemoryStep {
  kernels::DiscretizationRule rule = kernels::DiscretizationRule::kZoh;
  kernels::MemorySystem system;
  double dt = 1;
  Var<T> log_dt;
};

/// kernels::DiscretizeMemory, in double for either scalar. The gradient of log_dt is that of dt
/// times dt; A and B have none. Saved: A_bar - 1, B_bar and their slopes, in double. FLOPs
/// as DiscretizeDenseFlops.
template <Scalar T>
DiscreteMemory<T> DiscretizeMemory(Tape<T>& tape, const MemoryStep<T>& step);

}  // namespace ssm
