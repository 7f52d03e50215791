#include "ssm/kernels/unit_norm.h"

#include <algorithm>
#include <cmath>

#include "ssm/kernels/rows.h"

namespace ssm::kernels {

template <class T>
void UnitNorm(const UnitNormShape& shape, const T* x, T* y, T* inverse) {
  const int64_t normed = shape.groups * shape.width;
  for (int64_t row = 0; row < shape.rows; ++row, x += shape.n, y += shape.n) {
    for (int64_t group = 0; group < shape.groups; ++group) {
      const T* from = x + group * shape.width;
      T* to = y + group * shape.width;
      const T r = 1 / std::sqrt(Dot(shape.width, from, from) + static_cast<T>(shape.eps));
#pragma omp simd
      for (int64_t j = 0; j < shape.width; ++j) to[j] = r * from[j];
      if (inverse != nullptr) inverse[row * shape.groups + group] = r;
    }
    if (x != y) std::copy(x + normed, x + shape.n, y + normed);
  }
}

template <class T>
void UnitNormBackward(const UnitNormShape& shape, const T* x, const T* inverse, const T* gy,
                      T* gx) {
  const int64_t normed = shape.groups * shape.width;
  for (int64_t row = 0; row < shape.rows; ++row, x += shape.n, gy += shape.n, gx += shape.n) {
    for (int64_t group = 0; group < shape.groups; ++group) {
      const int64_t first = group * shape.width;
      const T r = inverse[row * shape.groups + group];
      const T along = r * r * Dot(shape.width, x + first, gy + first);
#pragma omp simd
      for (int64_t j = first; j < first + shape.width; ++j) gx[j] += r * (gy[j] - along * x[j]);
    }
    Axpy(shape.n - normed, T{1}, gy + normed, gx + normed);
  }
}

#define SSM_INSTANTIATE(T)                                        \
  template void UnitNorm(const UnitNormShape&, const T*, T*, T*); \
  template void UnitNormBackward(const UnitNormShape&, const T*, const T*, const T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
