#include "ssm/kernels/norm.h"

#include <cmath>

#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

template <class T>
T InverseRoot(T mean_square) {
  return 1 / std::sqrt(mean_square + static_cast<T>(kNormEps));
}

template <class T>
T MeanSquareAround(int64_t n, const T* x, T mean) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < n; ++j) sum += (x[j] - mean) * (x[j] - mean);
  return sum / static_cast<T>(n);
}

/// gweight += gy (x - mean) rstd.
template <class T>
void WeightGradient(int64_t n, const T* x, T mean, T rstd, const T* gy, T* gweight) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) gweight[j] += gy[j] * ((x[j] - mean) * rstd);
}

/// With h = gy weight and z = (x - mean) rstd: gx += rstd (h - shift - z mean(h z)).
template <class T>
void InputGradient(int64_t n, const T* x, const T* weight, T mean, T rstd, const T* gy, T shift,
                   T* gx) {
  T projection = 0;
#pragma omp simd reduction(+ : projection)
  for (int64_t j = 0; j < n; ++j) projection += gy[j] * weight[j] * ((x[j] - mean) * rstd);
  projection /= static_cast<T>(n);
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    gx[j] += rstd * (gy[j] * weight[j] - shift - (x[j] - mean) * rstd * projection);
  }
}

}  // namespace

template <class T>
void LayerNorm(int64_t rows, int64_t n, const T* x, const T* weight, const T* bias, T* y, T* mean,
               T* rstd) {
  for (int64_t i = 0; i < rows; ++i, x += n, y += n) {
    const T m = Sum(n, x) / static_cast<T>(n);
    const T r = InverseRoot(MeanSquareAround(n, x, m));
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) y[j] = (x[j] - m) * r * weight[j] + bias[j];
    if (mean != nullptr) mean[i] = m;
    if (rstd != nullptr) rstd[i] = r;
  }
}

template <class T>
void LayerNormBackward(int64_t rows, int64_t n, const T* x, const T* weight, const T* mean,
                       const T* rstd, const T* gy, T* gx, T* gweight, T* gbias) {
  for (int64_t i = 0; i < rows; ++i, x += n, gy += n) {
    if (gweight != nullptr) WeightGradient(n, x, mean[i], rstd[i], gy, gweight);
    if (gbias != nullptr) Axpy(n, T{1}, gy, gbias);
    if (gx != nullptr) {
      const T shift = Dot(n, gy, weight) / static_cast<T>(n);
      InputGradient(n, x, weight, mean[i], rstd[i], gy, shift, gx + i * n);
    }
  }
}

template <class T>
void RmsNorm(int64_t rows, int64_t n, const T* x, const T* weight, T* y, T* rstd) {
  for (int64_t i = 0; i < rows; ++i, x += n, y += n) {
    const T r = InverseRoot(Dot(n, x, x) / static_cast<T>(n));
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) y[j] = x[j] * r * weight[j];
    if (rstd != nullptr) rstd[i] = r;
  }
}

template <class T>
void RmsNormBackward(int64_t rows, int64_t n, const T* x, const T* weight, const T* rstd,
                     const T* gy, T* gx, T* gweight) {
  for (int64_t i = 0; i < rows; ++i, x += n, gy += n) {
    if (gweight != nullptr) WeightGradient(n, x, T{0}, rstd[i], gy, gweight);
    if (gx != nullptr) InputGradient(n, x, weight, T{0}, rstd[i], gy, T{0}, gx + i * n);
  }
}

#define SSM_INSTANTIATE(T)                                                                  \
  template void LayerNorm(int64_t, int64_t, const T*, const T*, const T*, T*, T*, T*);      \
  template void LayerNormBackward(int64_t, int64_t, const T*, const T*, const T*, const T*, \
                                  const T*, T*, T*, T*);                                    \
  template void RmsNorm(int64_t, int64_t, const T*, const T*, T*, T*);                      \
  template void RmsNormBackward(int64_t, int64_t, const T*, const T*, const T*, const T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
