// Tokens' keys and values pooled into one.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// What token `offset` of a group of `every` adds: to the key, turned on to the position of the
/// group's last token (`turns` [every, d_head] as of RotaryTable for every - 1 - offset tokens;
/// null: keys are not turned), and to the value. Weights are `taps` [2, heads, every], those of
/// keys first; null: 1 / every.
template <class T>
struct PoolShape {
  int64_t heads = 1, d_head = 1, every = 1;
  const T *turns = nullptr, *taps = nullptr;

  int64_t width() const { return heads * d_head; }
};

/// pooled [2, heads, d_head] += the token's part; k and v [heads, d_head].
template <class T>
void PoolToken(const PoolShape<T>& shape, int64_t offset, const T* k, const T* v, T* pooled);

/// The gradient of the same; null: unwanted.
template <class T>
void PoolTokenBackward(const PoolShape<T>& shape, int64_t offset, const T* k, const T* v,
                       const T* g_pooled, T* g_k, T* g_v, T* g_taps);

}  // namespace ssm::kernels
