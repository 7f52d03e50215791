#include "ssm/kernels/token_shift.h"

#include <algorithm>

#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// The token before token i of `row`; null where there is none, or where nobody gave it.
template <class T>
T* Before(const TokenShiftShape& shape, int64_t row, int64_t i, T* x, T* tail) {
  if (shape.pos[i] == 0) return nullptr;
  if (i > row * shape.steps) return x == nullptr ? nullptr : x + (i - 1) * shape.width;
  return tail == nullptr ? nullptr : tail + row * shape.width;
}

template <class T>
void Mix(int64_t width, const T* mix, const T* before, const T* x, T* y) {
  if (before == nullptr) {
#pragma omp simd
    for (int64_t d = 0; d < width; ++d) y[d] = mix[d] * x[d];
    return;
  }
#pragma omp simd
  for (int64_t d = 0; d < width; ++d) y[d] = mix[d] * x[d] + (1 - mix[d]) * before[d];
}

template <class T>
void AddMixGradient(int64_t width, const T* gy, const T* before, const T* x, T* gmix) {
  if (before == nullptr) {
#pragma omp simd
    for (int64_t d = 0; d < width; ++d) gmix[d] += gy[d] * x[d];
    return;
  }
#pragma omp simd
  for (int64_t d = 0; d < width; ++d) gmix[d] += gy[d] * (x[d] - before[d]);
}

template <class T>
void AddInputGradients(int64_t width, const T* mix, const T* gy, T* gx, T* gbefore) {
  if (gx != nullptr) {
#pragma omp simd
    for (int64_t d = 0; d < width; ++d) gx[d] += mix[d] * gy[d];
  }
  if (gbefore != nullptr) {
#pragma omp simd
    for (int64_t d = 0; d < width; ++d) gbefore[d] += (1 - mix[d]) * gy[d];
  }
}

}  // namespace

template <class T>
void TokenShift(const TokenShiftShape& shape, const T* mix, const T* tail, const T* x, T* y) {
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t i = row * shape.steps; i < (row + 1) * shape.steps; ++i) {
      T* out = y + i * shape.width;
      if (shape.pos[i] < 0) {
        std::fill_n(out, shape.width, T{0});
      } else {
        Mix(shape.width, mix, Before(shape, row, i, x, tail), x + i * shape.width, out);
      }
    }
  }
}

template <class T>
void TokenShiftBackward(const TokenShiftShape& shape, const T* mix, const T* tail, const T* x,
                        const T* gy, T* gx, T* gmix, T* gtail, T* scratch) {
  const int64_t width = shape.width;
  for (int64_t row = 0; row < shape.rows; ++row) {
    std::fill_n(scratch, width, T{0});  // this row's part of gmix, so that sums stay short
    for (int64_t i = row * shape.steps; i < (row + 1) * shape.steps; ++i) {
      if (shape.pos[i] < 0) continue;
      const T* g = gy + i * width;
      if (gmix != nullptr) {
        AddMixGradient(width, g, Before(shape, row, i, x, tail), x + i * width, scratch);
      }
      AddInputGradients(width, mix, g, gx == nullptr ? nullptr : gx + i * width,
                        Before(shape, row, i, gx, gtail));
    }
    if (gmix != nullptr) Axpy(width, T{1}, scratch, gmix);
  }
}

#define SSM_INSTANTIATE(T)                                                                         \
  template void TokenShift(const TokenShiftShape&, const T*, const T*, const T*, T*);              \
  template void TokenShiftBackward(const TokenShiftShape&, const T*, const T*, const T*, const T*, \
                                   T*, T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
