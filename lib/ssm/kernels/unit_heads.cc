#include "ssm/kernels/unit_heads.h"

#include <algorithm>
#include <cmath>

#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

template <class T>
T InverseLength(int64_t n, const T* x) {
  return 1 / std::sqrt(Dot(n, x, x) + static_cast<T>(kUnitEps));
}

}  // namespace

template <class T>
void UnitHeads(const UnitHeadsShape& shape, const T* x, const T* scale, T* y) {
  const int64_t n = shape.d_head, turned = shape.heads * n;
  for (int64_t row = 0; row < shape.rows; ++row, x += shape.width, y += shape.width) {
    for (int64_t head = 0; head < shape.heads; ++head) {
      const T* from = x + head * n;
      T* to = y + head * n;
      const T factor = InverseLength(n, from) * (head < shape.scaled ? scale[head] : T{1});
#pragma omp simd
      for (int64_t d = 0; d < n; ++d) to[d] = from[d] * factor;
    }
    if (x != y) std::copy(x + turned, x + shape.width, y + turned);
  }
}

template <class T>
void UnitHeadsBackward(const UnitHeadsShape& shape, const T* x, const T* scale, const T* gy, T* gx,
                       T* g_scale) {
  const int64_t n = shape.d_head, turned = shape.heads * n;
  for (int64_t row = 0; row < shape.rows; ++row) {
    const int64_t at = row * shape.width;
    for (int64_t head = 0; head < shape.heads; ++head) {
      const T *from = x + at + head * n, *g = gy + at + head * n;
      const T inverse = InverseLength(n, from);
      const T along = Dot(n, from, g) * inverse;  // of gy, on the unit vector
      if (g_scale != nullptr && head < shape.scaled) g_scale[head] += along;
      if (gx == nullptr) continue;
      T* to = gx + at + head * n;
      const T factor = inverse * (head < shape.scaled ? scale[head] : T{1}), back = along * inverse;
#pragma omp simd
      for (int64_t d = 0; d < n; ++d) to[d] += factor * (g[d] - back * from[d]);
    }
    if (gx == nullptr) continue;
    Axpy(shape.width - turned, T{1}, gy + at + turned, gx + at + turned);
  }
}

#define SSM_INSTANTIATE(T)                                                \
  template void UnitHeads(const UnitHeadsShape&, const T*, const T*, T*); \
  template void UnitHeadsBackward(const UnitHeadsShape&, const T*, const T*, const T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
