#include "ssm/kernels/attention.h"

#include <limits>

#include "ssm/kernels/attention_head-inl.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/packed_product.h"

namespace ssm::kernels {
namespace {

/// Half a block: fewer keys that only some of its queries see.
constexpr int64_t kQueries = kAttentionQueries / 2, kKeys = kAttentionKeys;

template <class T>
class ForwardHeads {
 public:
  ForwardHeads(const AttentionShape& shape, const AttentionInputs<T>& in, T* y,
               const AttentionStatistics<T>& statistics, T* scratch)
      : shape_(shape),
        in_(in),
        y_(y),
        statistics_(statistics),
        depth_(shape.d_head),
        padded_(WholeVectors<T>(depth_)),
        scale_(AttentionScale<T>(depth_)),
        keys_(scratch),
        packed_(keys_ + PackedColumns<T>(1) * depth_),
        values_(packed_ + PackedSize<T>(depth_, shape.ChunkKeys())),
        weights_(values_ + shape.ChunkKeys() * padded_),
        sums_(weights_ + kQueries * kKeys),
        bias_(sums_ + kQueries * padded_, shape.heads, shape.MostSeen()) {
    if (shape.biased) bias_.Fill(in.bias, scale_);
  }

  static int64_t Scratch(const AttentionShape& shape) {
    const int64_t padded = WholeVectors<T>(shape.d_head), keys = shape.ChunkKeys();
    return PackedColumns<T>(1) * shape.d_head + PackedSize<T>(shape.d_head, keys) + keys * padded +
           kQueries * (kKeys + padded) +
           (shape.biased ? NearBias<T>::Size(shape.heads, shape.MostSeen()) : 0);
  }

  /// `n` steps from `first`.
  void Run(const AttentionHead& head, int64_t first, int64_t n) {
    const int64_t panel = PackedColumns<T>(1);
    const KeyRange keys = head.SeenBy(first, n);
    for (int64_t key = keys.first; key < keys.last; key += panel) {
      const int64_t count = std::min(panel, keys.last - key);
      head.Gather({key, key + count}, in_.qkv, 1, in_.k_cache, depth_, keys_);
      PackTransposed(depth_, count, keys_, static_cast<const T*>(nullptr),
                     packed_ + (key - keys.first) * (1 + depth_));
    }
    head.Gather(keys, in_.qkv, 2, in_.v_cache, padded_, values_);
    for (int64_t step = first; step < first + n; step += kQueries) {
      Block(head, keys.first, step, std::min(kQueries, first + n - step));
    }
  }

 private:
  /// Queries of `n` steps; what was gathered begins with key `base`.
  void Block(const AttentionHead& head, int64_t base, int64_t step, int64_t n) {
    const int64_t panel = PackedColumns<T>(1);
    const KeyRange all = head.SeenBy(step, n);
    T* largest = statistics_.largest + head.InStatistics(step);
    T* sum = statistics_.sum + head.InStatistics(step);
    std::fill_n(sum, n, T{0});
    std::fill_n(largest, n, T{0});
    std::fill_n(sums_, n * padded_, T{0});
    for (int64_t key = all.first - (all.first - base) % panel; key < all.last; key += kKeys) {
      const int64_t count = std::min(kKeys, all.last - key);
      const int64_t stride = PackedColumns<T>(count);
      MultiplyPacked(n, depth_, count, in_.qkv + head.InQkv(0, step), 3 * shape_.width(),
                     packed_ + (key - base) * (1 + depth_), weights_);
      for (int64_t i = 0; i < n; ++i) {
        const KeyRange all_seen = head.Seen(step + i);
        const KeyRange seen = {std::clamp(all_seen.first - key, int64_t{0}, count),
                               std::clamp(all_seen.last - key, int64_t{0}, count)};
        if (shape_.biased)
          AddBias(seen, head, head.Distance(step + i) - key, weights_ + i * stride);
        Weigh(seen, count, weights_ + i * stride, sums_ + i * padded_, largest[i], sum[i]);
      }
      AddProduct<T>(n, count, padded_, {weights_, stride, 1}, values_ + (key - base) * padded_,
                    sums_);
    }
    for (int64_t i = 0; i < n; ++i) {
      const T inverse = sum[i] > 0 ? 1 / sum[i] : T{0};
      T* y = y_ + head.InY(step + i);
      for (int64_t d = 0; d < depth_; ++d) y[d] = sums_[i * padded_ + d] * inverse;
    }
  }

  /// Key 0 of the segment is `distance` tokens away.
  void AddBias(const KeyRange& seen, const AttentionHead& head, int64_t distance, T* w) const {
    const T* bias = bias_.Of(head.head()) + distance;
#pragma omp simd
    for (int64_t j = seen.first; j < seen.last; ++j) w[j] += bias[-j];
  }

  /// Scores of a segment become weights e^(scale score - largest), 0 outside of `seen`; where the
  /// largest score grows, what was summed before shrinks. Whole vectors: scores outside count as
  /// -infinity.
  void Weigh(const KeyRange& seen, int64_t count, T* w, T* sums, T& largest, T& sum) const {
    if (seen.first == seen.last) {
      std::fill_n(w, count, T{0});
      return;
    }
    const int64_t begin = seen.first / kVectorLanes<T> * kVectorLanes<T>;
    const int64_t n = WholeVectors<T>(seen.last - begin);
    std::fill_n(w, begin, T{0});
    w += begin;
    std::fill(w, w + (seen.first - begin), -std::numeric_limits<T>::infinity());
    std::fill(w + (seen.last - begin), w + n, -std::numeric_limits<T>::infinity());
    const T here = LargestOfVectors(n, w) * scale_;
    if (sum == 0 || here > largest) {
      const T shrink = sum > 0 ? Exp(largest - here) : T{0};
      largest = here;
      sum *= shrink;
#pragma omp simd
      for (int64_t d = 0; d < padded_; ++d) sums[d] *= shrink;
    }
    const T scale = scale_, shift = largest;
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) w[j] = Exp(w[j] * scale - shift);
    sum += SumOfVectors(n, w);
    if (begin + n < count) std::fill(w + n, w + (count - begin), T{0});
  }

  const AttentionShape& shape_;
  AttentionInputs<T> in_;
  T* y_;
  AttentionStatistics<T> statistics_;
  int64_t depth_, padded_;
  T scale_;
  T* keys_;              // of one panel
  T *packed_, *values_;  // of one head
  T *weights_, *sums_;   // of one block
  NearBias<T> bias_;
};

}  // namespace

int64_t AttentionShape::Seen(int64_t position) const {
  if (group > 1) return position + 1 - std::max<int64_t>(position + 1 - window, 0) / group * group;
  return window > 0 ? std::min(position + 1, window) : position + 1;
}

int64_t AttentionShape::Past(int64_t row) const {
  return steps == 0 ? 0 : std::max<int64_t>(Seen(pos[row * steps]) - 1, 0);
}

int64_t AttentionShape::ChunkSteps() const {
  return window > 0 ? std::min(steps, std::max(kAttentionChunk, 4 * window)) : steps;
}

int64_t AttentionShape::ChunkKeys() const {
  return window > 0 ? std::min(window + group - 2 + ChunkSteps(), Longest()) : Longest();
}

int64_t AttentionShape::MostSeen() const {
  return window > 0 ? std::min(window + group - 1, Longest()) : Longest();
}

int64_t AttentionShape::Longest() const {
  int64_t past = 0;
  for (int64_t row = 0; row < rows; ++row) past = std::max(past, Past(row));
  return past + steps;
}

double AttentionShape::Pairs() const {
  double pairs = 0;
  for (int64_t i = 0; i < tokens(); ++i) pairs += static_cast<double>(Seen(pos[i]));
  return pairs;
}

template <class T>
int64_t AttentionScratch(const AttentionShape& shape) {
  return ForwardHeads<T>::Scratch(shape);
}

template <class T>
void Attention(const AttentionShape& shape, const AttentionInputs<T>& in, T* y,
               const AttentionStatistics<T>& statistics, T* scratch) {
  ForwardHeads<T> heads(shape, in, y, statistics, scratch);
  ForEachChunk(shape, [&](const AttentionHead& head, int64_t first, int64_t n) {
    heads.Run(head, first, n);
  });
}

#define SSM_INSTANTIATE(T)                                                      \
  template int64_t AttentionScratch<T>(const AttentionShape&);                  \
  template void Attention(const AttentionShape&, const AttentionInputs<T>&, T*, \
                          const AttentionStatistics<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
