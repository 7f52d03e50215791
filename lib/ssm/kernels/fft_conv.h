// Causal convolution of long sequences by Fourier transforms.
#pragma once

#include <cstdint>

#include "ssm/kernels/direct_conv.h"

namespace ssm::kernels {

/// Elements of scratch both functions need.
template <class T>
int64_t FftConvScratch(const ConvShape<T>& shape);

/// As DirectConv, by transforms of length n = GoodFftLength(2 steps - 1), so that nothing wraps
/// around. Two batch rows are the real and imaginary part of one sequence: the kernel is real, so
/// they come out apart. Cost about 5 n log2 n (rows + 1) channels FLOPs.
template <class T>
void FftConv(const ConvShape<T>& shape, const T* x, const T* kernel, T* y, T* scratch);

/// Adds to gx and g_kernel (null: unwanted), given dL/dy; rows are summed in order, as spectra.
template <class T>
void FftConvBackward(const ConvShape<T>& shape, const T* x, const T* kernel, const T* gy, T* gx,
                     T* g_kernel, T* scratch);

}  // namespace ssm::kernels
