// The convolution kernel of a diagonal plus rank-one system, by its generating function.
#pragma once

#include "ssm/kernels/dplr_system.h"

namespace ssm::kernels {

/// Elements of scratch both functions need.
template <class T>
int64_t CauchyKernelScratch(const DplrSystem<T>& system, int64_t length);

/// K[d, k] = 2 Re(C A_bar^k B_bar) for k < length, A_bar = a - v phi, plus skip[d] at k = 0:
/// [channels, length]; length >= 0, c not null.
///
/// With S(u, w)(z) = sum_n u_n w_n / (1 - z a_n) over both of every conjugate pair, K^(z) = sum_k
/// K_k z^k = S(c, b) - z S(c, v) S(f, b) / (1 + z S(f, v)) (Gu, Goel and Re 2022, S4, appendix C.3,
/// at points of another circle). It is taken at n >= 4 length points z_j = r e^(-2 pi i j / n), r <
/// 1, and K_k = r^-k times the inverse transform. S4 takes r = 1 and n = length, where K_{k + n}
/// folds onto K_k unless C is multiplied by 1 - A_bar^n; here it does so with weight r^n: C is free
/// and no power of A_bar is formed. With r = eps^(1 / (n + length)) that weight and the round-off,
/// which r^-k magnifies, are equal, about eps^(4/5) = 3e-13 of the largest |K|. No point is -1,
/// where S4's form divides by zero.
///
/// In double whatever T is. Cost about 80 FLOPs a channel, mode and tap, and one transform of
/// length n a channel. The backward about 170.
template <class T>
void CauchyKernel(const DplrSystem<T>& system, int64_t length, T* kernel, T* scratch);

/// Given dL/dK.
template <class T>
void CauchyKernelBackward(const DplrSystem<T>& system, int64_t length, const T* g_kernel,
                          const DplrGradients<T>& gradients, T* scratch);

/// Points of the transform for `length` taps.
int64_t CauchyPoints(int64_t length);

}  // namespace ssm::kernels
