// One head of one row of an attention, with its keys in order. Only kernels' .cc files include
// this.
#pragma once

#include <algorithm>
#include <cmath>

#include "ssm/kernels/attention.h"
#include "ssm/kernels/product_tile-inl.h"

namespace ssm::kernels {

/// Keys [first, last) in the order of a head's history.
struct KeyRange {
  int64_t first = 0, last = 0;
};

/// A head's history is the cached tokens that count, the oldest first, then those of the pass. What
/// a token sees is a stretch of it that ends with the token; stretches never move back.
class AttentionHead {
 public:
  AttentionHead(const AttentionShape& shape, int64_t row, int64_t head)
      : shape_(shape), row_(row), head_(head), past_(shape.Past(row)) {}

  int64_t head() const { return head_; }
  /// Positions between the query at `step` and key 0 of the history.
  int64_t Distance(int64_t step) const { return past_ + step; }

  KeyRange Seen(int64_t step) const {
    const int64_t end = past_ + step + 1;
    const int64_t seen = shape_.Seen(shape_.pos[row_ * shape_.steps + step]);
    return seen > 0 ? KeyRange{end - seen, end} : KeyRange{end - 1, end - 1};
  }
  /// What steps [step, step + n) see between them.
  KeyRange SeenBy(int64_t step, int64_t n) const { return {Seen(step).first, past_ + step + n}; }

  /// Where this head's query (part 0), key (1) or value (2) at `step` lies in an array like qkv.
  int64_t InQkv(int64_t part, int64_t step) const {
    return ((row_ * shape_.steps + step) * 3 + part) * shape_.width() + head_ * shape_.d_head;
  }
  /// The same in y.
  int64_t InY(int64_t step) const {
    return (row_ * shape_.steps + step) * shape_.width() + head_ * shape_.d_head;
  }
  /// The same among the statistics.
  int64_t InStatistics(int64_t step) const {
    return (row_ * shape_.heads + head_) * shape_.steps + step;
  }
  /// Key `j` of the history, one that is cached, in its cache.
  int64_t InCache(int64_t j) const {
    const int64_t position = shape_.pos[row_ * shape_.steps] - past_ + j;
    return (row_ * shape_.entries + position % shape_.entries) * shape_.width() +
           head_ * shape_.d_head;
  }

  /// to [range, stride] = keys (part 1) or values (2), zeros beyond d_head.
  template <class T>
  void Gather(const KeyRange& range, const T* qkv, int64_t part, const T* cache, int64_t stride,
              T* to) const {
    for (int64_t j = range.first; j < range.last; ++j, to += stride) {
      const T* from = j < past_ ? cache + InCache(j) : qkv + InQkv(part, j - past_);
#pragma omp simd
      for (int64_t d = 0; d < shape_.d_head; ++d) to[d] = from[d];
      for (int64_t d = shape_.d_head; d < stride; ++d) to[d] = 0;
    }
  }
  /// Adds what Gather's result received to where it came from.
  template <class T>
  void Scatter(const KeyRange& range, const T* from, int64_t stride, int64_t part, T* qkv,
               T* cache) const {
    for (int64_t j = range.first; j < range.last; ++j, from += stride) {
      const bool cached = j < past_;
      T* to = cached ? cache : qkv;
      if (to == nullptr) continue;
      to += cached ? InCache(j) : InQkv(part, j - past_);
      for (int64_t d = 0; d < shape_.d_head; ++d) to[d] += from[d];
    }
  }

 private:
  const AttentionShape& shape_;
  int64_t row_, head_, past_;
};

/// Calls visit(head, first step, steps) for every head of every chunk of every row.
template <class Visit>
inline void ForEachChunk(const AttentionShape& shape, Visit visit) {
  const int64_t most = shape.ChunkSteps();
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t step = 0; step < shape.steps; step += most) {
      for (int64_t head = 0; head < shape.heads; ++head) {
        visit(AttentionHead(shape, row, head), step, std::min(most, shape.steps - step));
      }
    }
  }
}

/// Over n numbers, whole vectors. Plain loops keep their running vector in memory.
template <class T>
inline T LargestOfVectors(int64_t n, const T* a) {
  const LaneTag<T> tag;
  LaneVec<T> largest = hn::LoadU(tag, a);
  for (int64_t i = kVectorLanes<T>; i < n; i += kVectorLanes<T>) {
    largest = hn::Max(largest, hn::LoadU(tag, a + i));
  }
  return hn::GetLane(hn::MaxOfLanes(tag, largest));
}
template <class T>
inline T SumOfVectors(int64_t n, const T* a) {
  const LaneTag<T> tag;
  LaneVec<T> sum = hn::Zero(tag);
  for (int64_t i = 0; i < n; i += kVectorLanes<T>) sum = hn::Add(sum, hn::LoadU(tag, a + i));
  return hn::GetLane(hn::SumOfLanes(tag, sum));
}

template <class T>
inline T AttentionScale(int64_t d_head) {
  return static_cast<T>(1 / std::sqrt(static_cast<double>(d_head)));
}

}  // namespace ssm::kernels
