#include "ssm/kernels/softmax.h"

#include <cmath>

#include "ssm/kernels/elementary.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
template <class T>
void Softmax(int64_t rows, int64_t n, const T* x, T* p) {
  for (int64_t i = 0; i < rows; ++i, x += n, p += n) {
    const T largest = Largest(n, x);
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) p[j] = Exp(x[j] - largest);
    const T inverse = 1 / Sum(n, p);
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) p[j] *= inverse;
  }
}

template <class T>
void LogSumExp(int64_t rows, int64_t n, const T* x, T* out) {
  for (int64_t i = 0; i < rows; ++i, x += n) {
    const T largest = Largest(n, x);
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < n; ++j) sum += Exp(x[j] - largest);
    out[i] = largest + std::log(sum);
  }
}

template <class T>
void SoftmaxBackward(int64_t rows, int64_t n, const T* p, const T* gy, T* gx) {
  for (int64_t i = 0; i < rows; ++i, p += n, gy += n, gx += n) {
    const T mean = Dot(n, p, gy);
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) gx[j] += p[j] * (gy[j] - mean);
  }
}

#define SSM_INSTANTIATE(T)                                 \
  template void Softmax(int64_t, int64_t, const T*, T*);   \
  template void LogSumExp(int64_t, int64_t, const T*, T*); \
  template void SoftmaxBackward(int64_t, int64_t, const T*, const T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
