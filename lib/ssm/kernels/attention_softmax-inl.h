// One head's softmax over keys that come in runs, for one query at a time. Only kernels' .cc files
// include this.
#pragma once

#include <algorithm>
#include <limits>

#include "ssm/kernels/attention.h"
#include "ssm/kernels/attention_head-inl.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {

/// Keys scored at a time: on the stack.
inline constexpr int64_t kStepKeys = 64;

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
  int64_t d_head;
  DistanceBias<T> bias;
  int64_t head_index;
  const T* q;
  T scale, largest, sum;
  T* y;               // the weighted sum of values so far
  int64_t heads = 1;  // of a row of scales

  /// Keys and values that begin at column `first` of rows `stride` apart.
  void Add(const KeyRun<T>& run, int64_t first, int64_t stride) {
    const auto scales = [&](const T* of, int64_t j) {
      return of == nullptr ? nullptr : of + j * heads + head_index;
    };
    for (int64_t j = 0; j < run.n; j += kStepKeys) {
      const int64_t offset = j * stride + first;
      AddSome({std::min(kStepKeys, run.n - j), run.k + offset, run.v + offset,
               run.distance - j * run.spacing, run.spacing, scales(run.k_scale, j),
               scales(run.v_scale, j)},
              stride);
    }
  }

 private:
  /// n <= kStepKeys. Scales begin at this head's.
  void AddSome(const KeyRun<T>& run, int64_t stride) {
    const int64_t n = run.n;
    T weights[kStepKeys];
    for (int64_t j = 0; j < n; ++j) weights[j] = head.Product(q, run.k + j * stride) * scale;
    if (run.k_scale != nullptr) {
      for (int64_t j = 0; j < n; ++j) weights[j] *= run.k_scale[j * heads];
    }
    for (int64_t j = 0; j < n && bias.any(); ++j) {
      weights[j] += bias.At(head_index, run.distance - j * run.spacing);
    }
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
    if (run.v_scale != nullptr) {
      for (int64_t j = 0; j < n; ++j) weights[j] *= run.v_scale[j * heads];
    }
    head.AddRows(n, weights, run.v, stride, y);
  }
};

/// Calls visit(head) with the kind of head that d_head channels are.
template <class T, class Visit>
inline void WithHead(int64_t d_head, const Visit& visit) {
  if (d_head % kVectorLanes<T> == 0) return visit(VectorHead<T>{d_head});
  if (d_head == 4) return visit(ShortHead<T, 4>{d_head});
  if (d_head == 8) return visit(ShortHead<T, 8>{d_head});
  visit(ShortHead<T, 0>{d_head});
}

}  // namespace ssm::kernels
