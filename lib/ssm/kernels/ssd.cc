#include "ssm/kernels/ssd.h"

#include <algorithm>

#include "ssm/kernels/elementary.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {

template <class T>
void SsdInput(const SsdSteps<T>& steps, T time, const T* raw, const T* x, T* g, T* v) {
  const int64_t channels = steps.channels;
  for (int64_t h = 0; h < steps.heads; ++h, x += channels, v += channels) {
    const T dt = std::clamp(Softplus(raw[h] + steps.bias[h]), steps.low, steps.high) * time;
    g[h] = -steps.a[h] * dt;
#pragma omp simd
    for (int64_t p = 0; p < channels; ++p) v[p] = dt * x[p];
  }
}

template <class T>
void SsdInputBackward(const SsdSteps<T>& steps, T time, const T* raw, const T* x, const T* gg,
                      const T* gv, const SsdGradients<T>& gradients) {
  const int64_t channels = steps.channels;
  for (int64_t h = 0; h < steps.heads; ++h) {
    const T sum = raw[h] + steps.bias[h], step = Softplus(sum);
    const bool free = step > steps.low && step < steps.high;
    const T dt = std::clamp(step, steps.low, steps.high) * time;
    T g_dt = 0;
    if (gg != nullptr) {
      g_dt -= steps.a[h] * gg[h];
      if (gradients.log_a != nullptr) gradients.log_a[h] -= gg[h] * steps.a[h] * dt;
    }
    if (gv != nullptr) {
      const int64_t at = h * channels;
      g_dt += Dot(channels, gv + at, x + at);
      if (gradients.x != nullptr) Axpy(channels, dt, gv + at, gradients.x + at);
    }
    const T g_sum = free ? g_dt * time * Sigmoid(sum) : T{0};
    if (gradients.raw != nullptr) gradients.raw[h] += g_sum;
    if (gradients.bias != nullptr) gradients.bias[h] += g_sum;
  }
}

template <class T>
void AddHeadSkip(int64_t heads, int64_t channels, const T* d, const T* x, T* y) {
  for (int64_t h = 0; h < heads; ++h) Axpy(channels, d[h], x + h * channels, y + h * channels);
}

#define SSM_INSTANTIATE(T)                                                                      \
  template void SsdInput(const SsdSteps<T>&, T, const T*, const T*, T*, T*);                    \
  template void SsdInputBackward(const SsdSteps<T>&, T, const T*, const T*, const T*, const T*, \
                                 const SsdGradients<T>&);                                       \
  template void AddHeadSkip(int64_t, int64_t, const T*, const T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
