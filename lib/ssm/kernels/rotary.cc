#include "ssm/kernels/rotary.h"

#include <algorithm>
#include <cmath>

#include "ssm/kernels/elementary.h"
#include "ssm/kernels/rows.h"
#include "ssm/kernels/sine_cosine.h"

namespace ssm::kernels {

template <class T>
void RotaryTable(int64_t steps, int64_t d_head, const int64_t* pos, double base, T* table) {
  const int64_t half = d_head / 2;
  const double rate = -2 * std::log(base) / static_cast<double>(d_head);
  for (int64_t t = 0; t < steps; ++t, table += d_head) {
    const double position = static_cast<double>(std::max<int64_t>(pos[t], 0));
#pragma omp simd
    for (int64_t i = 0; i < half; ++i) {
      const SineCosine turn = SinCos(position * Exp(rate * static_cast<double>(i)));
      table[i] = static_cast<T>(turn.cosine);
      table[half + i] = static_cast<T>(turn.sine);
    }
  }
}

template <class T>
void Rotate(const RotaryShape& shape, const T* table, const T* x, T* y) {
  const int64_t half = shape.d_head / 2, turned = shape.heads * shape.d_head;
  for (int64_t t = 0; t < shape.steps; ++t, table += shape.d_head) {
    for (int64_t first = 0; first < turned; first += shape.d_head) {
      const T* from = x + first;
      T* to = y + first;
#pragma omp simd
      for (int64_t i = 0; i < half; ++i) {
        const T a = from[i], b = from[half + i], c = table[i], s = table[half + i];
        to[i] = a * c - b * s;
        to[half + i] = b * c + a * s;
      }
    }
    if (x != y) std::copy(x + turned, x + shape.width, y + turned);
    x += shape.width;
    y += shape.width;
  }
}

template <class T>
void RotateBackward(const RotaryShape& shape, const T* table, const T* gy, T* gx) {
  const int64_t half = shape.d_head / 2, turned = shape.heads * shape.d_head;
  for (int64_t t = 0; t < shape.steps; ++t, table += shape.d_head) {
    for (int64_t first = 0; first < turned; first += shape.d_head) {
      const T* from = gy + first;
      T* to = gx + first;
#pragma omp simd
      for (int64_t i = 0; i < half; ++i) {
        const T a = from[i], b = from[half + i], c = table[i], s = table[half + i];
        to[i] += a * c + b * s;
        to[half + i] += b * c - a * s;
      }
    }
    Axpy(shape.width - turned, T{1}, gy + turned, gx + turned);
    gy += shape.width;
    gx += shape.width;
  }
}

#define SSM_INSTANTIATE(T)                                                 \
  template void RotaryTable(int64_t, int64_t, const int64_t*, double, T*); \
  template void Rotate(const RotaryShape&, const T*, const T*, T*);        \
  template void RotateBackward(const RotaryShape&, const T*, const T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
