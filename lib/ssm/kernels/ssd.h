// What surrounds the matrix state of Mamba-2: steps, decays, a head's skip.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// H heads of P channels: dt = clamp(softplus(raw + bias)) time, in [low, high] before it meets
/// time; g = -a dt.
template <class T>
struct SsdSteps {
  int64_t heads = 0, channels = 0;
  const T *a = nullptr, *bias = nullptr;  // [heads], a = e^{A_log}
  T low = 0, high = 0;
};

/// One token: g [heads] and v = dt x [heads channels] of raw [heads], x.
template <class T>
void SsdInput(const SsdSteps<T>& steps, T time, const T* raw, const T* x, T* g, T* v);

/// Gradients to add to; each may be null.
template <class T>
struct SsdGradients {
  T *raw = nullptr, *x = nullptr, *bias = nullptr, *log_a = nullptr;
};
/// One token; gg and gv may be null.
template <class T>
void SsdInputBackward(const SsdSteps<T>& steps, T time, const T* raw, const T* x, const T* gg,
                      const T* gv, const SsdGradients<T>& gradients);

/// y += d_h x: one token of heads of `channels`.
template <class T>
void AddHeadSkip(int64_t heads, int64_t channels, const T* d, const T* x, T* y);

}  // namespace ssm::kernels
