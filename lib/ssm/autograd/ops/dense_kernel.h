// The convolution kernels of dense state-space channels.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// K[d, k] = c_d A_bar_d^k b_d, plus skip[d] at k = 0: [D, length]. a_minus_1 [D, N, N] = A_bar -
/// 1; b and c [D, N]; skip [D] or none. By the recurrence, in double whatever T is; errors are its
/// rounding. Memory O(length N) doubles. Saved: nothing, the backward walks again. FLOPs 2 D length
/// N^2, the backward three times that.
template <Scalar T>
Var<T> DenseKernel(Tape<T>& tape, Var<T> a_minus_1, Var<T> b, Var<T> c, Var<T> skip,
                   int64_t length);

}  // namespace ssm
