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
               T* rstd, int64_t groups) {
  const int64_t width = n / groups;
  for (int64_t i = 0; i < rows * groups; ++i, x += width, y += width) {
    const T *w = weight + i % groups * width, *b = bias + i % groups * width;
    const T m = Sum(width, x) / static_cast<T>(width);
    const T r = InverseRoot(MeanSquareAround(width, x, m));
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) y[j] = (x[j] - m) * r * w[j] + b[j];
    if (mean != nullptr) mean[i] = m;
    if (rstd != nullptr) rstd[i] = r;
  }
}

template <class T>
void LayerNormBackward(int64_t rows, int64_t n, const T* x, const T* weight, const T* mean,
                       const T* rstd, const T* gy, T* gx, T* gweight, T* gbias, int64_t groups) {
  const int64_t width = n / groups;
  for (int64_t i = 0; i < rows * groups; ++i, x += width, gy += width) {
    const int64_t first = i % groups * width;
    if (gweight != nullptr) WeightGradient(width, x, mean[i], rstd[i], gy, gweight + first);
    if (gbias != nullptr) Axpy(width, T{1}, gy, gbias + first);
    if (gx != nullptr) {
      const T shift = Dot(width, gy, weight + first) / static_cast<T>(width);
      InputGradient(width, x, weight + first, mean[i], rstd[i], gy, shift, gx + i * width);
    }
  }
}

template <class T>
void RmsNorm(int64_t rows, int64_t n, const T* x, const T* weight, T* y, T* rstd, int64_t groups) {
  const int64_t width = n / groups;
  for (int64_t i = 0; i < rows * groups; ++i, x += width, y += width) {
    const T* w = weight + i % groups * width;
    const T r = InverseRoot(Dot(width, x, x) / static_cast<T>(width));
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) y[j] = x[j] * r * w[j];
    if (rstd != nullptr) rstd[i] = r;
  }
}

template <class T>
void RmsNormBackward(int64_t rows, int64_t n, const T* x, const T* weight, const T* rstd,
                     const T* gy, T* gx, T* gweight, int64_t groups) {
  const int64_t width = n / groups;
  for (int64_t i = 0; i < rows * groups; ++i, x += width, gy += width) {
    const int64_t first = i % groups * width;
    if (gweight != nullptr) WeightGradient(width, x, T{0}, rstd[i], gy, gweight + first);
    if (gx != nullptr) {
      InputGradient(width, x, weight + first, T{0}, rstd[i], gy, T{0}, gx + i * width);
    }
  }
}

#define SSM_INSTANTIATE(T)                                                                        \
  template void LayerNorm(int64_t, int64_t, const T*, const T*, const T*, T*, T*, T*, int64_t);   \
  template void LayerNormBackward(int64_t, int64_t, const T*, const T*, const T*, const T*,       \
                                  const T*, T*, T*, T*, int64_t);                                 \
  template void RmsNorm(int64_t, int64_t, const T*, const T*, T*, T*, int64_t);                   \
  template void RmsNormBackward(int64_t, int64_t, const T*, const T*, const T*, const T*, T*, T*, \
                                int64_t);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
