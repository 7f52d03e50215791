// Causal convolution of short sequences, term by term.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// The arrays of a convolution: one kernel of `taps` >= steps for each channel.
template <class T>
struct ConvShape {
  int64_t rows = 0, steps = 0, channels = 0;
  int64_t taps = 0;  // elements between the kernels of two channels
};

/// Up to this many tokens the products below cost less than transforms of twice the length.
inline constexpr int64_t kDirectConvSteps = 64;

/// Elements of scratch both functions need.
template <class T>
int64_t DirectConvScratch(const ConvShape<T>& shape);

/// y[b, t, d] = sum_{k <= t} K[d, k] x[b, t - k, d]: x, y [rows, steps, channels], kernel
/// [channels, taps]. Cost rows steps (steps + 1) channels FLOPs.
template <class T>
void DirectConv(const ConvShape<T>& shape, const T* x, const T* kernel, T* y, T* scratch);

/// Adds to gx and g_kernel (null: unwanted), given dL/dy; rows are summed in order.
template <class T>
void DirectConvBackward(const ConvShape<T>& shape, const T* x, const T* kernel, const T* gy, T* gx,
                        T* g_kernel, T* scratch);

}  // namespace ssm::kernels
