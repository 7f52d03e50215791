#include "ssm/kernels/log_decay.h"

#include "ssm/kernels/elementary.h"

namespace ssm::kernels {
namespace {

/// scratch = -e^rate dt_scale.
template <class T>
void Slopes(const LogDecayShape& shape, const T* rate, T* scratch) {
  const T scale = static_cast<T>(shape.dt_scale);
#pragma omp simd
  for (int64_t h = 0; h < shape.heads; ++h) scratch[h] = -Exp(rate[h]) * scale;
}

}  // namespace

template <class T>
void LogDecay(const LogDecayShape& shape, const T* x, const T* rate, const T* dt, T* g,
              T* scratch) {
  Slopes(shape, rate, scratch);
  for (int64_t t = 0; t < shape.tokens; ++t, x += shape.heads, g += shape.heads) {
    const T step = dt == nullptr ? T{1} : dt[t];
#pragma omp simd
    for (int64_t h = 0; h < shape.heads; ++h) g[h] = scratch[h] * Softplus(x[h]) * step;
  }
}

template <class T>
void LogDecayBackward(const LogDecayShape& shape, const T* x, const T* rate, const T* dt,
                      const T* gg, T* gx, T* grate, T* gdt, T* scratch) {
  Slopes(shape, rate, scratch);
  for (int64_t t = 0; t < shape.tokens; ++t) {
    const T *row = x + t * shape.heads, *grad = gg + t * shape.heads;
    const T step = dt == nullptr ? T{1} : dt[t];
    T along = 0;
#pragma omp simd reduction(+ : along)
    for (int64_t h = 0; h < shape.heads; ++h) along += grad[h] * (scratch[h] * Softplus(row[h]));
    if (gdt != nullptr) gdt[t] += along;
    if (grate != nullptr) {
#pragma omp simd
      for (int64_t h = 0; h < shape.heads; ++h) {
        grate[h] += grad[h] * (scratch[h] * Softplus(row[h])) * step;
      }
    }
    if (gx != nullptr) {
      T* to = gx + t * shape.heads;
#pragma omp simd
      for (int64_t h = 0; h < shape.heads; ++h) {
        to[h] += grad[h] * (scratch[h] * Sigmoid(row[h])) * step;
      }
    }
  }
}

#define SSM_INSTANTIATE(T)                                                                         \
  template void LogDecay(const LogDecayShape&, const T*, const T*, const T*, T*, T*);              \
  template void LogDecayBackward(const LogDecayShape&, const T*, const T*, const T*, const T*, T*, \
                                 T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
