#include <algorithm>

#include "ssm/kernels/attention.h"
#include "ssm/kernels/attention_head-inl.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// Keys scored at a time: on the stack.
constexpr int64_t kStepKeys = 64;

/// One head's softmax as keys come in.
template <class T>
struct RunningSoftmax {
  int64_t d_head, stride;
  const T* q;
  T scale, largest, sum;
  T* y;  // the weighted sum of values so far

  /// n <= kStepKeys keys and values, `stride` apart.
  void Add(int64_t n, const T* k, const T* v) {
    T weights[kStepKeys];
    for (int64_t j = 0; j < n; ++j) weights[j] = Dot(d_head, q, k + j * stride) * scale;
    const T here = Largest(n, weights);
    if (here > largest) {
      const T shrink = Exp(largest - here);
      largest = here;
      sum *= shrink;
      for (int64_t d = 0; d < d_head; ++d) y[d] *= shrink;
    }
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) weights[j] = Exp(weights[j] - largest);
    sum += Sum(n, weights);
    for (int64_t j = 0; j < n; ++j) Axpy(d_head, weights[j], v + j * stride, y);
  }
};

}  // namespace

template <class T>
void AttendToken(int64_t heads, int64_t d_head, int64_t live, const T* qkv, const T* k_cache,
                 const T* v_cache, T* y) {
  const int64_t width = heads * d_head;
  const T scale = AttentionScale<T>(d_head);
  for (int64_t first = 0; first < width; first += d_head) {
    const T *q = qkv + first, *k = q + width, *v = k + width;
    std::copy_n(v, d_head, y + first);
    RunningSoftmax<T> softmax{d_head, width, q, scale, Dot(d_head, q, k) * scale, 1, y + first};
    for (int64_t j = 0; j < live; j += kStepKeys) {
      const int64_t offset = j * width + first;
      softmax.Add(std::min(kStepKeys, live - j), k_cache + offset, v_cache + offset);
    }
    const T inverse = 1 / softmax.sum;
    for (int64_t d = 0; d < d_head; ++d) y[first + d] *= inverse;
  }
}

template void AttendToken(int64_t, int64_t, int64_t, const float*, const float*, const float*,
                          float*);
template void AttendToken(int64_t, int64_t, int64_t, const double*, const double*, const double*,
                          double*);

}  // namespace ssm::kernels
