#include "ssm/kernels/attention.h"

#include "ssm/kernels/attention_head-inl.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

constexpr int64_t kQueries = kAttentionQueries, kKeys = kAttentionKeys;

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
        packed_(keys_ + shape.Longest() * depth_),
        values_(packed_ + PackedSize<T>(depth_, shape.Longest())),
        weights_(values_ + shape.Longest() * padded_),
        sums_(weights_ + kQueries * kKeys) {}

  static int64_t Scratch(const AttentionShape& shape) {
    const int64_t padded = WholeVectors<T>(shape.d_head), keys = shape.Longest();
    return keys * (shape.d_head + padded) + PackedSize<T>(shape.d_head, keys) + kQueries * kKeys +
           kQueries * padded;
  }

  void Run(const AttentionHead& head) {
    head.Gather(in_.qkv, 1, in_.k_cache, depth_, keys_);
    PackTransposed(depth_, head.keys(), keys_, static_cast<const T*>(nullptr), packed_);
    head.Gather(in_.qkv, 2, in_.v_cache, padded_, values_);
    for (int64_t step = 0; step < shape_.steps; step += kQueries) {
      Block(head, step, std::min(kQueries, shape_.steps - step));
    }
  }

 private:
  /// Queries of `n` steps.
  void Block(const AttentionHead& head, int64_t step, int64_t n) {
    const int64_t panel = PackedColumns<T>(1);
    const KeyRange all = head.SeenBy(step, n);
    T* largest = statistics_.largest + head.InStatistics(step);
    T* sum = statistics_.sum + head.InStatistics(step);
    std::fill_n(sum, n, T{0});
    std::fill_n(largest, n, T{0});
    std::fill_n(sums_, n * padded_, T{0});
    for (int64_t key = all.first / panel * panel; key < all.last; key += kKeys) {
      const int64_t count = std::min(kKeys, all.last - key);
      const int64_t stride = PackedColumns<T>(count);
      MultiplyPacked(n, depth_, count, in_.qkv + head.InQkv(0, step), 3 * shape_.width(),
                     packed_ + key * (1 + depth_), weights_);
      for (int64_t i = 0; i < n; ++i) {
        const KeyRange seen = head.Seen(step + i);
        Weigh({std::clamp(seen.first - key, int64_t{0}, count),
               std::clamp(seen.last - key, int64_t{0}, count)},
              count, weights_ + i * stride, sums_ + i * padded_, largest[i], sum[i]);
      }
      AddProduct<T>(n, count, padded_, {weights_, stride, 1}, values_ + key * padded_, sums_);
    }
    for (int64_t i = 0; i < n; ++i) {
      const T inverse = sum[i] > 0 ? 1 / sum[i] : T{0};
      T* y = y_ + head.InY(step + i);
      for (int64_t d = 0; d < depth_; ++d) y[d] = sums_[i * padded_ + d] * inverse;
    }
  }

  /// Scores of a segment become weights e^(scale score - largest), 0 outside of `seen`; where the
  /// largest score grows, what was summed before shrinks.
  void Weigh(const KeyRange& seen, int64_t count, T* w, T* sums, T& largest, T& sum) const {
    const int64_t n = seen.last - seen.first;
    std::fill(w, w + (n > 0 ? seen.first : count), T{0});
    if (n <= 0) return;
    std::fill(w + seen.last, w + count, T{0});
    w += seen.first;
    const T here = Largest(n, w) * scale_;
    if (sum == 0 || here > largest) {
      const T shrink = sum > 0 ? Exp(largest - here) : T{0};
      largest = here;
      sum *= shrink;
      for (int64_t d = 0; d < padded_; ++d) sums[d] *= shrink;
    }
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) w[j] = Exp(w[j] * scale_ - largest);
    sum += Sum(n, w);
  }

  const AttentionShape& shape_;
  AttentionInputs<T> in_;
  T* y_;
  AttentionStatistics<T> statistics_;
  int64_t depth_, padded_;
  T scale_;
  T *keys_, *packed_, *values_;  // of one head
  T *weights_, *sums_;           // of one block
};

}  // namespace

int64_t AttentionShape::Seen(int64_t position) const {
  return window > 0 ? std::min(position + 1, window) : position + 1;
}

int64_t AttentionShape::Past(int64_t row) const {
  return steps == 0 ? 0 : std::max<int64_t>(Seen(pos[row * steps]) - 1, 0);
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
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t head = 0; head < shape.heads; ++head) heads.Run({shape, row, head});
  }
}

#define SSM_INSTANTIATE(T)                                                      \
  template int64_t AttentionScratch<T>(const AttentionShape&);                  \
  template void Attention(const AttentionShape&, const AttentionInputs<T>&, T*, \
                          const AttentionStatistics<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
