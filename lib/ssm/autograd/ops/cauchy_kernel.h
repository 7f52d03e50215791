// The convolution kernel of a diagonal minus rank-one state-space layer.
#pragma once

#include "ssm/autograd/ops/discretize_dplr.h"

namespace ssm {

/// K[d, k] = 2 Re(C A_bar^k B_bar), plus skip[d] at k = 0: [D, length]. c [D, M, 2]; skip [D] or
/// none. By the generating function on a circle inside the unit circle, in double whatever T is
/// (Gu, Goel and Re 2022, S4; see kernels/cauchy_kernel.h): errors about 3e-13 of the largest |K|,
/// no power of A_bar, and C does not depend on `length`. Memory O(D length). Saved: nothing. FLOPs
/// about 80 D M length + 5 D n log2 n, n = 4 length; the backward twice that.
template <Scalar T>
Var<T> CauchyKernel(Tape<T>& tape, const DiscreteDplr<T>& system, Var<T> c, Var<T> skip,
                    int64_t length);

}  // namespace ssm
