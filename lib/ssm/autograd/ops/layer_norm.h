// Layer normalisation over the last axis.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// y = (x - mean) / sqrt(variance + 1e-5) weight + bias, x [..., D], weight and bias [D]
/// (Ba et al. 2016). With `groups` > 1 each of that many equal parts of the axis (heads) is
/// normalised by itself (Wu and He 2018). Saved: mean and inverse deviation of each part. FLOPs 8
/// an element, the backward 14.
template <Scalar T>
Var<T> LayerNorm(Tape<T>& tape, Var<T> x, Var<T> weight, Var<T> bias, int64_t groups = 1);

}  // namespace ssm
