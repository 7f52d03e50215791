// Norms of a value and of its gradient, taken while they exist.
#pragma once

#include "ssm/autograd/clock.h"

namespace ssm {

/// y = x [B, T, D]. Adds to *value the sum over rows b of the root mean square of x over the row's
/// real tokens and channels; during Backward, adds to *gradient the same of dL/dx. So shards add
/// up, and a division by the batch size gives the mean over rows. Both must outlive Backward.
/// Saved: nothing. FLOPs 2 an element, the backward 3.
template <Scalar T>
Var<T> Observe(Tape<T>& tape, Var<T> x, const Clock& clock, double* value, double* gradient);

}  // namespace ssm
