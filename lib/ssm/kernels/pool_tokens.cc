#include "ssm/kernels/pool_tokens.h"

#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

template <class T>
T Weight(const PoolShape<T>& shape, int64_t part, int64_t head, int64_t offset) {
  if (shape.taps == nullptr) return T{1} / static_cast<T>(shape.every);
  return shape.taps[(part * shape.heads + head) * shape.every + offset];
}

/// y += weight turned x, one head.
template <class T>
void AddTurned(int64_t d_head, const T* turn, T weight, const T* x, T* y) {
  const int64_t half = d_head / 2;
#pragma omp simd
  for (int64_t i = 0; i < half; ++i) {
    const T c = turn[i], s = turn[half + i], a = x[i], b = x[half + i];
    y[i] += weight * (a * c - b * s);
    y[half + i] += weight * (b * c + a * s);
  }
}

/// x += weight y turned back.
template <class T>
void AddTurnedBack(int64_t d_head, const T* turn, T weight, const T* y, T* x) {
  const int64_t half = d_head / 2;
#pragma omp simd
  for (int64_t i = 0; i < half; ++i) {
    const T c = turn[i], s = turn[half + i], a = y[i], b = y[half + i];
    x[i] += weight * (a * c + b * s);
    x[half + i] += weight * (b * c - a * s);
  }
}

/// y . turned x.
template <class T>
T DotTurned(int64_t d_head, const T* turn, const T* x, const T* y) {
  const int64_t half = d_head / 2;
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < half; ++i) {
    const T c = turn[i], s = turn[half + i], a = x[i], b = x[half + i];
    sum += y[i] * (a * c - b * s) + y[half + i] * (b * c + a * s);
  }
  return sum;
}

}  // namespace

template <class T>
void PoolToken(const PoolShape<T>& shape, int64_t offset, const T* k, const T* v, T* pooled) {
  const T* turn = shape.turns == nullptr ? nullptr : shape.turns + offset * shape.d_head;
  for (int64_t h = 0; h < shape.heads; ++h) {
    const int64_t first = h * shape.d_head;
    const T weight = Weight(shape, 0, h, offset);
    if (turn != nullptr) {
      AddTurned(shape.d_head, turn, weight, k + first, pooled + first);
    } else {
      Axpy(shape.d_head, weight, k + first, pooled + first);
    }
    Axpy(shape.d_head, Weight(shape, 1, h, offset), v + first, pooled + shape.width() + first);
  }
}

template <class T>
void PoolTokenBackward(const PoolShape<T>& shape, int64_t offset, const T* k, const T* v,
                       const T* g_pooled, T* g_k, T* g_v, T* g_taps) {
  const T* turn = shape.turns == nullptr ? nullptr : shape.turns + offset * shape.d_head;
  for (int64_t h = 0; h < shape.heads; ++h) {
    const int64_t first = h * shape.d_head, n = shape.d_head;
    const T weight = Weight(shape, 0, h, offset);
    const T *g_key = g_pooled + first, *g_value = g_pooled + shape.width() + first;
    if (g_k != nullptr && turn != nullptr) AddTurnedBack(n, turn, weight, g_key, g_k + first);
    if (g_k != nullptr && turn == nullptr) Axpy(n, weight, g_key, g_k + first);
    if (g_v != nullptr) Axpy(n, Weight(shape, 1, h, offset), g_value, g_v + first);
    if (g_taps == nullptr) continue;
    g_taps[h * shape.every + offset] +=
        turn != nullptr ? DotTurned(n, turn, k + first, g_key) : Dot(n, k + first, g_key);
    g_taps[(shape.heads + h) * shape.every + offset] += Dot(n, v + first, g_value);
  }
}

#define SSM_INSTANTIATE(T)                                                                        \
  template void PoolToken(const PoolShape<T>&, int64_t, const T*, const T*, T*);                  \
  template void PoolTokenBackward(const PoolShape<T>&, int64_t, const T*, const T*, const T*, T*, \
                                  T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
