#include <algorithm>
#include <limits>

#include "ssm/kernels/attention.h"
#include "ssm/kernels/attention_head-inl.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// Keys scored at a time: on the stack.
constexpr int64_t kStepKeys = 64;

/// Heads of whole vectors.
template <class T>
struct VectorHead {
  int64_t size;

  T Product(const T* a, const T* b) const {
    const LaneTag<T> tag;
    LaneVec<T> sum = hn::Mul(hn::LoadU(tag, a), hn::LoadU(tag, b));
    for (int64_t d = kVectorLanes<T>; d < size; d += kVectorLanes<T>) {
      sum = hn::MulAdd(hn::LoadU(tag, a + d), hn::LoadU(tag, b + d), sum);
    }
    return hn::GetLane(hn::SumOfLanes(tag, sum));
  }
  /// y += sum_j weights_j v_j, rows of v `stride` apart.
  void AddRows(int64_t n, const T* weights, const T* v, int64_t stride, T* y) const {
    for (int64_t d = 0; d < size; d += kVectorLanes<T>) {
      AddTileTo<T, 1, 1>(n, {weights, 0, 1}, v + d, stride, y + d);
    }
  }
};

/// Other heads. kSize: where the compiler knows it, sums stay in registers; 0: any.
template <class T, int64_t kSize>
struct ShortHead {
  int64_t any_size;

  int64_t Size() const { return kSize > 0 ? kSize : any_size; }
  T Product(const T* a, const T* b) const { return Dot(Size(), a, b); }
  void AddRows(int64_t n, const T* weights, const T* v, int64_t stride, T* y) const {
    if constexpr (kSize == 0) {
      for (int64_t j = 0; j < n; ++j) Axpy(any_size, weights[j], v + j * stride, y);
    } else {
      T sums[kSize];
      std::copy_n(y, kSize, sums);
      for (int64_t j = 0; j < n; ++j) Axpy(kSize, weights[j], v + j * stride, sums);
      std::copy_n(sums, kSize, y);
    }
  }
};

/// One head's softmax as keys come in.
template <class T, class Head>
struct RunningSoftmax {
  Head head;
  int64_t d_head, stride;
  const T* q;
  T scale, largest, sum;
  T* y;  // the weighted sum of values so far

  /// n <= kStepKeys keys and values, `stride` apart.
  void Add(int64_t n, const T* k, const T* v) {
    T weights[kStepKeys];
    for (int64_t j = 0; j < n; ++j) weights[j] = head.Product(q, k + j * stride) * scale;
    // Whole vectors: what lies behind weighs nothing.
    const int64_t whole = WholeVectors<T>(n);
    std::fill(weights + n, weights + whole, -std::numeric_limits<T>::infinity());
    const T here = LargestOfVectors(whole, weights);
    if (here > largest) {
      const T shrink = Exp(largest - here);
      largest = here;
      sum *= shrink;
      for (int64_t d = 0; d < d_head; ++d) y[d] *= shrink;
    }
#pragma omp simd
    for (int64_t j = 0; j < whole; ++j) weights[j] = Exp(weights[j] - largest);
    sum += SumOfVectors(whole, weights);
    head.AddRows(n, weights, v, stride, y);
  }
};

template <class T, class Head>
void AttendHeads(const Head& head, int64_t heads, int64_t d_head, int64_t live, const T* qkv,
                 const T* k_cache, const T* v_cache, T* y) {
  const int64_t width = heads * d_head;
  const T scale = AttentionScale<T>(d_head);
  for (int64_t first = 0; first < width; first += d_head) {
    const T *q = qkv + first, *k = q + width, *v = k + width;
    std::copy_n(v, d_head, y + first);
    RunningSoftmax<T, Head> softmax{head, d_head,   width, q, scale, head.Product(q, k) * scale,
                                    T{1}, y + first};
    for (int64_t j = 0; j < live; j += kStepKeys) {
      const int64_t offset = j * width + first;
      softmax.Add(std::min(kStepKeys, live - j), k_cache + offset, v_cache + offset);
    }
    const T inverse = 1 / softmax.sum;
    for (int64_t d = 0; d < d_head; ++d) y[first + d] *= inverse;
  }
}

}  // namespace

template <class T>
void AttendToken(int64_t heads, int64_t d_head, int64_t live, const T* qkv, const T* k_cache,
                 const T* v_cache, T* y) {
  const auto attend = [&](const auto& head) {
    AttendHeads(head, heads, d_head, live, qkv, k_cache, v_cache, y);
  };
  if (d_head % kVectorLanes<T> == 0) return attend(VectorHead<T>{d_head});
  if (d_head == 4) return attend(ShortHead<T, 4>{d_head});
  if (d_head == 8) return attend(ShortHead<T, 8>{d_head});
  attend(ShortHead<T, 0>{d_head});
}

template void AttendToken(int64_t, int64_t, int64_t, const float*, const float*, const float*,
                          float*);
template void AttendToken(int64_t, int64_t, int64_t, const double*, const double*, const double*,
                          double*);

}  // namespace ssm::kernels
