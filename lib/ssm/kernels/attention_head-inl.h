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

  int64_t keys() const { return past_ + shape_.steps; }
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

  /// to [keys, stride] = keys (part 1) or values (2), zeros beyond d_head.
  template <class T>
  void Gather(const T* qkv, int64_t part, const T* cache, int64_t stride, T* to) const {
    for (int64_t j = 0; j < keys(); ++j, to += stride) {
      const T* from = j < past_ ? cache + InCache(j) : qkv + InQkv(part, j - past_);
      CopyPadded(from, stride, to);
    }
  }
  /// Adds what Gather's result received to where it came from.
  template <class T>
  void Scatter(const T* from, int64_t stride, int64_t part, T* qkv, T* cache) const {
    for (int64_t j = 0; j < keys(); ++j, from += stride) {
      T* to = j >= past_         ? qkv + InQkv(part, j - past_)
              : cache == nullptr ? nullptr
                                 : cache + InCache(j);
      if (to == nullptr || (j >= past_ && qkv == nullptr)) continue;
      for (int64_t d = 0; d < shape_.d_head; ++d) to[d] += from[d];
    }
  }
  template <class T>
  void CopyPadded(const T* from, int64_t stride, T* to) const {
    std::fill(std::copy_n(from, shape_.d_head, to), to + stride, T{0});
  }

 private:
  const AttentionShape& shape_;
  int64_t row_, head_, past_;
};

template <class T>
inline T AttentionScale(int64_t d_head) {
  return static_cast<T>(1 / std::sqrt(static_cast<double>(d_head)));
}

}  // namespace ssm::kernels
