#include "ssm/kernels/attention.h"
#include "ssm/kernels/attention_head-inl.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/pieces.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

constexpr int64_t kQueries = kAttentionQueries, kKeys = kAttentionKeys;

/// Rows of one block of queries, as they are and for products: contiguous, of whole vectors,
/// packed.
template <class T>
struct BlockRows {
  T *rows, *padded, *packed;
};

template <class T>
class BackwardHeads {
 public:
  BackwardHeads(const AttentionShape& shape, const AttentionInputs<T>& in, const T* y,
                const AttentionStatistics<T>& statistics, const T* gy,
                const AttentionGradients<T>& gradients, T* scratch)
      : shape_(shape),
        in_(in),
        y_(y),
        statistics_(statistics),
        gy_(gy),
        gradients_(gradients),
        depth_(shape.d_head),
        padded_(WholeVectors<T>(depth_)),
        stride_(PackedColumns<T>(kQueries)),
        scale_(AttentionScale<T>(depth_)),
        bias_(scratch, shape.heads, shape.MostSeen()),
        g_bias_(scratch + BiasSize(shape) / 2, shape.heads, shape.MostSeen()) {
    scratch += BiasSize(shape);
    if (shape.biased) {
      bias_.Fill(in.bias, scale_);
      g_bias_.Clear();
    }
    Pieces<T> pieces(scratch);
    for (T** part : {&keys_, &values_, &g_keys_, &g_values_}) {
      *part = pieces.Take(shape.ChunkKeys() * padded_);
    }
    for (BlockRows<T>* rows : {&queries_, &g_y_}) {
      rows->rows = pieces.Take(kQueries * depth_);
      rows->padded = pieces.Take(kQueries * padded_);
      rows->packed = pieces.Take(PackedSize<T>(depth_, kQueries));
    }
    g_queries_ = pieces.Take(kQueries * padded_);
    for (T** part : {&weights_, &g_weights_}) *part = pieces.Take(kKeys * stride_);
    for (T** part : {&first_, &last_, &largest_, &inverse_, &mean_}) *part = pieces.Take(stride_);
  }

  static int64_t Scratch(const AttentionShape& shape) {
    const int64_t padded = WholeVectors<T>(shape.d_head);
    const int64_t stride = PackedColumns<T>(kQueries);
    return 4 * shape.ChunkKeys() * padded +
           2 * (kQueries * (shape.d_head + padded) + PackedSize<T>(shape.d_head, kQueries)) +
           kQueries * padded + (2 * kKeys + 5) * stride + BiasSize(shape);
  }
  /// For what all heads and rows add up.
  void Finish() const {
    if (shape_.biased && gradients_.bias_table != nullptr) {
      g_bias_.AddTo(in_.bias, scale_, gradients_.bias_table);
    }
  }

  /// `n` steps from `first`.
  void Run(const AttentionHead& head, int64_t first, int64_t n) {
    const KeyRange keys = head.SeenBy(first, n);
    head.Gather(keys, in_.qkv, 1, in_.k_cache, padded_, keys_);
    head.Gather(keys, in_.qkv, 2, in_.v_cache, padded_, values_);
    std::fill_n(g_keys_, (keys.last - keys.first) * padded_, T{0});
    std::fill_n(g_values_, (keys.last - keys.first) * padded_, T{0});
    for (int64_t step = first; step < first + n; step += kQueries) {
      Block(head, keys.first, step, std::min(kQueries, first + n - step));
    }
    head.Scatter(keys, g_keys_, padded_, 1, gradients_.qkv, gradients_.k_cache);
    head.Scatter(keys, g_values_, padded_, 2, gradients_.qkv, gradients_.v_cache);
  }

 private:
  static int64_t BiasSize(const AttentionShape& shape) {
    return shape.biased ? 2 * NearBias<T>::Size(shape.heads, shape.MostSeen()) : 0;
  }

  /// Queries of `n` steps; what was gathered begins with key `base`.
  void Block(const AttentionHead& head, int64_t base, int64_t step, int64_t n) {
    for (int64_t i = 0; i < kQueries; ++i) {
      Put(queries_, i, i < n ? in_.qkv + head.InQkv(0, step + i) : nullptr);
      Put(g_y_, i, i < n ? gy_ + head.InY(step + i) : nullptr);
    }
    for (const BlockRows<T>& rows : {queries_, g_y_}) {
      PackTransposed(depth_, kQueries, rows.rows, static_cast<const T*>(nullptr), rows.packed);
    }
    std::fill_n(g_queries_, kQueries * padded_, T{0});
    const KeyRange all = head.SeenBy(step, n);
    for (int64_t key = all.first; key < all.last; key += kKeys) {
      Describe(head, step, n, key);
      Segment(head, head.Distance(step) - key, key - base, std::min(kKeys, all.last - key));
    }
    for (int64_t i = 0; i < n && gradients_.qkv != nullptr; ++i) {
      Axpy(depth_, T{1}, g_queries_ + i * padded_, gradients_.qkv + head.InQkv(0, step + i));
    }
  }

  /// Row i of a block; null: zeros.
  void Put(const BlockRows<T>& rows, int64_t i, const T* from) {
    T *row = rows.rows + i * depth_, *padded = rows.padded + i * padded_;
    if (from == nullptr) {
      std::fill_n(row, depth_, T{0});
      std::fill_n(padded, padded_, T{0});
      return;
    }
    std::copy_n(from, depth_, row);
    std::fill(std::copy_n(from, depth_, padded), padded + padded_, T{0});
  }

  /// What each query of a block sees of the keys from `key` on, and what undoes its softmax.
  void Describe(const AttentionHead& head, int64_t step, int64_t n, int64_t key) {
    for (T* part : {first_, last_, largest_, inverse_, mean_}) std::fill_n(part, stride_, T{0});
    for (int64_t i = 0; i < n; ++i) {
      const KeyRange seen = head.Seen(step + i);
      first_[i] = static_cast<T>(std::clamp<int64_t>(seen.first - key, 0, kKeys));
      last_[i] = static_cast<T>(std::clamp<int64_t>(seen.last - key, 0, kKeys));
      const T sum = statistics_.sum[head.InStatistics(step + i)];
      largest_[i] = statistics_.largest[head.InStatistics(step + i)];
      inverse_[i] = sum > 0 ? 1 / sum : T{0};
      mean_[i] = Dot(depth_, y_ + head.InY(step + i), gy_ + head.InY(step + i));
    }
  }

  /// Keys and values are rows here, queries columns. `key` counts from what was gathered; query 0
  /// is `distance` tokens behind it.
  void Segment(const AttentionHead& head, int64_t distance, int64_t key, int64_t count) {
    const int64_t offset = key * padded_;
    MultiplyPacked(count, depth_, kQueries, keys_ + offset, padded_, queries_.packed, weights_);
    MultiplyPacked(count, depth_, kQueries, values_ + offset, padded_, g_y_.packed, g_weights_);
    for (int64_t j = 0; j < count; ++j) {
      T *w = weights_ + j * stride_, *g = g_weights_ + j * stride_;
      if (!shape_.biased) {
        Differentiate(static_cast<T>(j), w, g);
        continue;
      }
      Axpy(kQueries, T{1}, bias_.Of(head.head()) + distance - j, w);
      Differentiate(static_cast<T>(j), w, g);
      Axpy(kQueries, T{1}, g, g_bias_.Of(head.head()) + distance - j);
    }
    AddProduct<T>(count, kQueries, padded_, {weights_, stride_, 1}, g_y_.padded,
                  g_values_ + offset);
    AddProduct<T>(count, kQueries, padded_, {g_weights_, stride_, 1}, queries_.padded,
                  g_keys_ + offset);
    AddProduct<T>(kQueries, count, padded_, {g_weights_, 1, stride_}, keys_ + offset, g_queries_);
  }

  /// Scores of key j become weights, gradients of the weights those of the scores.
  void Differentiate(T j, T* w, T* g) const {
    const T *first = first_, *last = last_, *largest = largest_, *inverse = inverse_, *mean = mean_;
    const T scale = scale_;
#pragma omp simd
    for (int64_t i = 0; i < kQueries; ++i) {
      const T e = Exp(w[i] * scale - largest[i]) * inverse[i];
      const T weight = (j >= first[i]) & (j < last[i]) ? e : T{0};
      w[i] = weight;
      g[i] = weight * (g[i] - mean[i]) * scale;
    }
  }

  const AttentionShape& shape_;
  AttentionInputs<T> in_;
  const T* y_;
  AttentionStatistics<T> statistics_;
  const T* gy_;
  AttentionGradients<T> gradients_;
  int64_t depth_, padded_, stride_;
  T scale_;
  T *keys_, *values_, *g_keys_, *g_values_;  // of one head
  BlockRows<T> queries_, g_y_;               // of one block
  T *g_queries_, *weights_, *g_weights_;
  T *first_, *last_, *largest_, *inverse_, *mean_;
  NearBias<T> bias_, g_bias_;
};

}  // namespace

template <class T>
int64_t AttentionBackwardScratch(const AttentionShape& shape) {
  return BackwardHeads<T>::Scratch(shape);
}

template <class T>
void AttentionBackward(const AttentionShape& shape, const AttentionInputs<T>& in, const T* y,
                       const AttentionStatistics<T>& statistics, const T* gy,
                       const AttentionGradients<T>& gradients, T* scratch) {
  BackwardHeads<T> heads(shape, in, y, statistics, gy, gradients, scratch);
  ForEachChunk(shape, [&](const AttentionHead& head, int64_t first, int64_t n) {
    heads.Run(head, first, n);
  });
  heads.Finish();
}

#define SSM_INSTANTIATE(T)                                                                    \
  template int64_t AttentionBackwardScratch<T>(const AttentionShape&);                        \
  template void AttentionBackward(const AttentionShape&, const AttentionInputs<T>&, const T*, \
                                  const AttentionStatistics<T>&, const T*,                    \
                                  const AttentionGradients<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
