// The convolution kernel of a diagonal state-space layer.
#pragma once

#include "ssm/autograd/ops/discretize_diagonal.h"

namespace ssm {

/// K[d, k] = s Re sum_n C_n B_bar_n A_bar_n^k, plus skip[d] at k = 0: [D, length]; s = 2 for
/// complex modes, 1 for real ones (Gu, Gupta, Goel and Re 2022, S4D). c [D, M, 2] or [D, M]; skip
/// [D] or none. Powers are taken in double; sums in T. Relative to the largest |K| the float error
/// is below 2e-6 for up to 64 modes. Memory O(D length). Saved: nothing. FLOPs 4 D M length for
/// complex modes, the backward twice that.
template <Scalar T>
Var<T> S4dKernel(Tape<T>& tape, const DiscreteDiagonal<T>& system, Var<T> c, Var<T> skip,
                 int64_t length);

}  // namespace ssm
