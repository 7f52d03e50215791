// The convolution kernel of a diagonal system as products of two small tables of powers.
#pragma once

#include <cstdint>

#include "ssm/kernels/s4d_scan.h"

namespace ssm::kernels {

/// Elements of scratch that S4dKernel and S4dKernelBackward need.
template <class T>
int64_t S4dKernelScratch(const DiagonalSystem<T>& system, int64_t length);

/// kernel [channels, length]: K[d, k] = s Re sum_n C_n B_bar_n A_bar_n^k, plus skip[d] at k = 0.
///
/// With k = 64 j + i, A_bar^k = (A_bar^64)^j A_bar^i: for each channel a matrix product of the
/// tables C B_bar A_bar^{64 j} and A_bar^i, two multiply-adds for a mode and tap instead of the six
/// of stepping the power, and no error builds up along k. Powers are taken in double, as A_bar - 1,
/// and rounded once; the sum over modes runs in T. For T = float the error is at most
/// (modes + 4) 6e-8 of sum_n |C_n B_bar_n|; measured, 3e-7 of the largest |K|.
/// Memory O(length + modes (length / 64 + 64)) for any number of channels.
template <class T>
void S4dKernel(const DiagonalSystem<T>& system, int64_t length, T* kernel, T* scratch);

/// Adds to the gradients of A_bar, B_bar, C and skip (null: unwanted), given dL/dK.
template <class T>
void S4dKernelBackward(const DiagonalSystem<T>& system, int64_t length, const T* g_kernel,
                       const ScanGradients<T>& gradients, T* scratch);

}  // namespace ssm::kernels
