#include "ssm/kernels/relative_attention.h"

#include <limits>

#include "ssm/kernels/elementary.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/pieces.h"
#include "ssm/kernels/product_tile-inl.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

constexpr int64_t kQueries = 32;

/// Consecutive tokens of one sequence and one segment.
struct QueryBlock {
  int64_t row = 0, step = 0, n = 0;
  int64_t position = 0;        // of the first
  int64_t first = 0, end = 0;  // positions of the keys that are seen between them

  int64_t keys() const { return end - first; }
  /// Position of the pass's first token of this sequence.
  int64_t oldest() const { return std::max<int64_t>(0, position - step); }
};

/// Calls visit(block) for all of a row's real tokens, in order.
template <class Visit>
void ForEachBlock(const RelativeAttentionShape& shape, int64_t row, Visit visit) {
  const int64_t* pos = shape.pos + row * shape.steps;
  QueryBlock block{.row = row};
  const auto flush = [&] {
    if (block.n == 0) return;
    block.first = shape.reach.First(block.position);
    block.end = std::max(block.first, shape.reach.End(block.position + block.n - 1));
    visit(static_cast<const QueryBlock&>(block));
    block.n = 0;
  };
  for (int64_t t = 0; t < shape.steps && pos[t] >= 0; ++t) {
    if (block.n == kQueries || pos[t] == 0 ||
        (block.n > 0 && shape.reach.Live(pos[t]) != shape.reach.Live(pos[t - 1]))) {
      flush();
    }
    if (block.n++ == 0) {
      block.step = t;
      block.position = pos[t];
    }
  }
  flush();
}

/// Keys that a block sees, at most.
int64_t MostKeys(const RelativeAttentionShape& shape) {
  return shape.Distances() + (shape.reach.sliding ? kQueries : 0);
}

template <class T>
class RelativeHead {
 public:
  using Values = RelativeAttentionArrays<const T*>;
  using Gradients = RelativeAttentionArrays<T*>;

  RelativeHead(const RelativeAttentionShape& shape, const Values& in, T* scratch)
      : shape_(shape),
        in_(in),
        depth_(shape.d_head),
        padded_(WholeVectors<T>(depth_)),
        distances_(shape.Distances()) {
    const int64_t keys = MostKeys(shape), distances = distances_;
    Pieces<T> pieces(scratch);
    for (T** part : {&keys_, &values_, &g_keys_, &g_values_}) *part = pieces.Take(keys * padded_);
    rows_ = pieces.Take(std::max(keys, distances) * depth_);
    packed_keys_ = pieces.Take(PackedSize<T>(depth_, keys));
    packed_r_ = pieces.Take(PackedSize<T>(depth_, distances));
    for (T** part : {&r_, &g_r_}) *part = pieces.Take(PackedColumns<T>(distances) * padded_);
    for (T** part : {&q_u_, &q_v_, &g_y_, &g_u_, &g_v_, &sums_}) {
      *part = pieces.Take(kQueries * padded_);
    }
    for (T** part : {&weights_, &g_weights_})
      *part = pieces.Take(kQueries * PackedColumns<T>(keys));
    // A row may begin one panel before the distances that a block needs.
    places_ = pieces.Take(kQueries * PackedColumns<T>(distances));
  }

  static int64_t Scratch(const RelativeAttentionShape& shape) {
    const int64_t keys = MostKeys(shape), distances = shape.Distances();
    const int64_t padded = WholeVectors<T>(shape.d_head);
    return 4 * keys * padded + std::max(keys, distances) * shape.d_head +
           PackedSize<T>(shape.d_head, keys) + PackedSize<T>(shape.d_head, distances) +
           2 * PackedColumns<T>(distances) * padded + 6 * kQueries * padded +
           kQueries * (2 * PackedColumns<T>(keys) + PackedColumns<T>(distances));
  }

  void Begin(int64_t head) {
    head_ = head;
    if (in_.r == nullptr) return;
    std::fill_n(r_, PackedColumns<T>(distances_) * padded_, T{0});
    std::fill_n(g_r_, PackedColumns<T>(distances_) * padded_, T{0});
    for (int64_t c = 0; c < distances_; ++c) {
      const T* from = in_.r + (distances_ - 1 - c) * shape_.width() + head_ * depth_;
      std::copy_n(from, depth_, rows_ + c * depth_);
      std::copy_n(from, depth_, r_ + c * padded_);
    }
    PackTransposed(depth_, distances_, rows_, static_cast<const T*>(nullptr), packed_r_);
  }

  void Forward(const QueryBlock& block, T* y) {
    Weigh(block);
    Gather(block, in_.qkv, in_.kv_stop, in_.ring, in_.ring_stop, 1, padded_, values_);
    std::fill_n(sums_, block.n * padded_, T{0});
    AddProduct<T>(block.n, block.keys(), padded_, {weights_, Stride(block), 1}, values_, sums_);
    for (int64_t i = 0; i < block.n; ++i) {
      std::copy_n(sums_ + i * padded_, depth_, y + InY(block, i));
    }
  }

  void Backward(const QueryBlock& block, const T* gy, const Gradients& g) {
    Weigh(block);
    const int64_t n = block.n, keys = block.keys(), stride = Stride(block);
    Gather(block, in_.qkv, in_.kv_stop, in_.ring, in_.ring_stop, 1, depth_, rows_);
    PackTransposed(depth_, keys, rows_, static_cast<const T*>(nullptr), packed_keys_);
    std::fill_n(g_y_, n * padded_, T{0});
    for (int64_t i = 0; i < n; ++i) std::copy_n(gy + InY(block, i), depth_, g_y_ + i * padded_);
    MultiplyPacked(n, depth_, keys, g_y_, padded_, packed_keys_, g_weights_);
    for (T* part : {g_keys_, g_values_}) std::fill_n(part, keys * padded_, T{0});
    AddProduct<T>(keys, n, padded_, {weights_, 1, stride}, g_y_, g_values_);
    Differentiate(block, g.bias);
    Gather(block, in_.qkv, in_.kv_stop, in_.ring, in_.ring_stop, 0, padded_, keys_);
    for (T* part : {g_u_, g_v_}) std::fill_n(part, n * padded_, T{0});
    AddProduct<T>(n, keys, padded_, {g_weights_, stride, 1}, keys_, g_u_);
    AddProduct<T>(keys, n, padded_, {g_weights_, 1, stride}, q_u_, g_keys_);
    if (in_.r != nullptr) DifferentiatePlaces(block);
    Scatter(block, g_keys_, 0, g);
    Scatter(block, g_values_, 1, g);
    for (int64_t i = 0; i < n; ++i) ScatterQuery(block, i, g);
  }

  /// What the head's distances received.
  void End(T* g_r) const {
    if (in_.r == nullptr || g_r == nullptr) return;
    for (int64_t c = 0; c < distances_; ++c) {
      Axpy(depth_, T{1}, g_r_ + c * padded_,
           g_r + (distances_ - 1 - c) * shape_.width() + head_ * depth_);
    }
  }

 private:
  int64_t Stride(const QueryBlock& block) const { return PackedColumns<T>(block.keys()); }
  int64_t InY(const QueryBlock& block, int64_t i) const {
    return (block.row * shape_.steps + block.step + i) * shape_.width() + head_ * depth_;
  }
  int64_t InQkv(const QueryBlock& block, int64_t i) const {
    return (block.row * shape_.steps + block.step + i) * 3 * shape_.width() + head_ * depth_;
  }

  /// Where key (part 0) or value (1) of position j lies, in one of four arrays.
  template <class P>
  P Find(const QueryBlock& block, int64_t j, int64_t part, P qkv, P kv_stop, P ring,
         P ring_stop) const {
    const bool live = in_.kv_stop == nullptr || j >= shape_.reach.Live(block.position);
    const int64_t width = shape_.width();
    if (j < block.oldest()) {
      P array = live || in_.ring_stop == nullptr ? ring : ring_stop;
      const int64_t entry = block.row * shape_.entries + j % shape_.entries;
      return array == nullptr ? nullptr : array + (entry * 2 + part) * width + head_ * depth_;
    }
    const int64_t token = block.row * shape_.steps + block.step + j - block.position;
    P array = live ? qkv : kv_stop;
    const int64_t at = live ? 3 * token + 1 + part : 2 * token + part;
    return array == nullptr ? nullptr : array + at * width + head_ * depth_;
  }

  /// to [keys, stride], zeros beyond d_head.
  void Gather(const QueryBlock& block, const T* qkv, const T* kv_stop, const T* ring,
              const T* ring_stop, int64_t part, int64_t stride, T* to) const {
    for (int64_t j = block.first; j < block.end; ++j, to += stride) {
      const T* from = Find(block, j, part, qkv, kv_stop, ring, ring_stop);
      std::fill(std::copy_n(from, depth_, to), to + stride, T{0});
    }
  }
  void Scatter(const QueryBlock& block, const T* from, int64_t part, const Gradients& g) const {
    for (int64_t j = block.first; j < block.end; ++j, from += padded_) {
      T* to = Find(block, j, part, g.qkv, g.kv_stop, g.ring, g.ring_stop);
      if (to != nullptr) Axpy(depth_, T{1}, from, to);
    }
  }
  void ScatterQuery(const QueryBlock& block, int64_t i, const Gradients& g) const {
    const T *content = g_u_ + i * padded_, *place = g_v_ + i * padded_;
    if (g.qkv != nullptr) {
      Axpy(depth_, T{1}, content, g.qkv + InQkv(block, i));
      Axpy(depth_, T{1}, place, g.qkv + InQkv(block, i));
    }
    if (g.u != nullptr) Axpy(depth_, T{1}, content, g.u + head_ * depth_);
    if (g.v != nullptr) Axpy(depth_, T{1}, place, g.v + head_ * depth_);
  }

  /// weights_ [n, keys] of a block, 0 where a query does not see a key; q_u_ and q_v_.
  void Weigh(const QueryBlock& block) {
    const int64_t n = block.n, keys = block.keys();
    Gather(block, in_.qkv, in_.kv_stop, in_.ring, in_.ring_stop, 0, depth_, rows_);
    PackTransposed(depth_, keys, rows_, static_cast<const T*>(nullptr), packed_keys_);
    for (T* part : {q_u_, q_v_}) std::fill_n(part, n * padded_, T{0});
    for (int64_t i = 0; i < n; ++i) {
      const T* q = in_.qkv + InQkv(block, i);
      for (const auto& [rows, shift] : {std::pair(q_u_, in_.u), std::pair(q_v_, in_.v)}) {
        std::copy_n(q, depth_, rows + i * padded_);
        if (shift != nullptr) Axpy(depth_, T{1}, shift + head_ * depth_, rows + i * padded_);
      }
    }
    MultiplyPacked(n, depth_, keys, q_u_, padded_, packed_keys_, weights_);
    if (in_.r != nullptr) {
      const int64_t from = FirstPlace(block);
      MultiplyPacked(n, depth_, distances_ - from, q_v_, padded_, packed_r_ + from * (1 + depth_),
                     places_);
    }
    for (int64_t i = 0; i < n; ++i) Softmax(block, i);
  }

  /// Distances lie the largest first, so that those of a query's keys stand as its keys do. The
  /// first that a block needs, down to a whole panel.
  int64_t FirstPlace(const QueryBlock& block) const {
    const int64_t farthest = std::min(block.position + block.n - 1 - block.first, distances_ - 1);
    const int64_t panel = PackedColumns<T>(1);
    return (distances_ - 1 - farthest) / panel * panel;
  }
  int64_t PlaceStride(const QueryBlock& block) const {
    return PackedColumns<T>(distances_ - FirstPlace(block));
  }
  /// The place of query i's key at position j in its row of places_.
  int64_t Place(const QueryBlock& block, int64_t i, int64_t j) const {
    return distances_ - 1 - (block.position + i - j) - FirstPlace(block);
  }

  struct Seen {
    int64_t first, n;
  };
  /// Keys that query i sees, counted from the block's first.
  Seen SeenBy(const QueryBlock& block, int64_t i) const {
    const int64_t first = shape_.reach.First(block.position + i);
    return {first - block.first,
            std::max<int64_t>(0, shape_.reach.End(block.position + i) - first)};
  }

  void Softmax(const QueryBlock& block, int64_t i) {
    const Seen seen = SeenBy(block, i);
    T* row = weights_ + i * Stride(block);
    std::fill_n(row, seen.first, T{0});
    std::fill(row + seen.first + seen.n, row + Stride(block), T{0});
    if (seen.n == 0) return;
    T* w = row + seen.first;
    const T scale = static_cast<T>(shape_.scale);
    if (in_.r != nullptr) {
      Axpy(seen.n, T{1},
           places_ + i * PlaceStride(block) + Place(block, i, block.first + seen.first), w);
    }
#pragma omp simd
    for (int64_t j = 0; j < seen.n; ++j) w[j] *= scale;
    if (in_.bias != nullptr) {
      const T* bias = in_.bias + head_ * shape_.buckets;
      const int64_t* bucket = Buckets(block, i, seen);
      for (int64_t j = 0; j < seen.n; ++j) w[j] += bias[bucket[-j]];
    }
    const T largest = Largest(seen.n, w);
#pragma omp simd
    for (int64_t j = 0; j < seen.n; ++j) w[j] = Exp(w[j] - largest);
    const T inverse = 1 / Sum(seen.n, w);
#pragma omp simd
    for (int64_t j = 0; j < seen.n; ++j) w[j] *= inverse;
  }
  /// The bucket of the oldest key seen; those of younger ones lie before it.
  const int64_t* Buckets(const QueryBlock& block, int64_t i, const Seen& seen) const {
    return shape_.bucket + (block.position + i - block.first - seen.first);
  }

  /// Gradients of weights become those of q . k.
  void Differentiate(const QueryBlock& block, T* g_bias) {
    const T scale = static_cast<T>(shape_.scale);
    for (int64_t i = 0; i < block.n; ++i) {
      const Seen seen = SeenBy(block, i);
      T *row = g_weights_ + i * Stride(block), *g = row + seen.first;
      const T* w = weights_ + i * Stride(block) + seen.first;
      std::fill_n(row, seen.first, T{0});
      std::fill(g + seen.n, row + Stride(block), T{0});
      const T mean = Dot(seen.n, w, g);
#pragma omp simd
      for (int64_t j = 0; j < seen.n; ++j) g[j] = w[j] * (g[j] - mean);
      if (g_bias != nullptr) {
        const int64_t* bucket = Buckets(block, i, seen);
        for (int64_t j = 0; j < seen.n; ++j) g_bias[head_ * shape_.buckets + bucket[-j]] += g[j];
      }
#pragma omp simd
      for (int64_t j = 0; j < seen.n; ++j) g[j] *= scale;
    }
  }

  void DifferentiatePlaces(const QueryBlock& block) {
    const int64_t stride = PlaceStride(block), from = FirstPlace(block);
    std::fill_n(places_, block.n * stride, T{0});
    for (int64_t i = 0; i < block.n; ++i) {
      const Seen seen = SeenBy(block, i);
      if (seen.n == 0) continue;
      std::copy_n(g_weights_ + i * Stride(block) + seen.first, seen.n,
                  places_ + i * stride + Place(block, i, block.first + seen.first));
    }
    const int64_t columns = distances_ - from;
    AddProduct<T>(block.n, columns, padded_, {places_, stride, 1}, r_ + from * padded_, g_v_);
    AddProduct<T>(columns, block.n, padded_, {places_, 1, stride}, q_v_, g_r_ + from * padded_);
  }

  const RelativeAttentionShape& shape_;
  Values in_;
  int64_t depth_, padded_, distances_, head_ = 0;
  T *keys_, *values_, *g_keys_, *g_values_;  // [keys, padded]
  T *rows_, *packed_keys_, *packed_r_;
  T *r_, *g_r_;                                 // [distances, padded], the largest first
  T *q_u_, *q_v_, *g_y_, *g_u_, *g_v_, *sums_;  // [queries, padded]
  T *weights_, *g_weights_, *places_;           // [queries, keys or distances]
};

}  // namespace

int64_t RelativeAttentionShape::Distances() const {
  int64_t last = 0;
  for (int64_t i = 0; i < rows * steps; ++i) last = std::max(last, pos[i]);
  return std::min(reach.Distances(), last + 1);
}

double RelativeAttentionShape::Pairs() const {
  double pairs = 0;
  for (int64_t i = 0; i < rows * steps; ++i) {
    if (pos[i] >= 0)
      pairs += static_cast<double>(std::max<int64_t>(0, reach.End(pos[i]) - reach.First(pos[i])));
  }
  return pairs;
}

template <class T>
int64_t RelativeAttentionScratch(const RelativeAttentionShape& shape) {
  return RelativeHead<T>::Scratch(shape);
}

template <class T>
void RelativeAttention(const RelativeAttentionShape& shape,
                       const RelativeAttentionArrays<const T*>& in, T* y, T* scratch) {
  std::fill_n(y, shape.rows * shape.steps * shape.width(), T{0});
  RelativeHead<T> worker(shape, in, scratch);
  for (int64_t head = 0; head < shape.heads; ++head) {
    worker.Begin(head);
    for (int64_t row = 0; row < shape.rows; ++row) {
      ForEachBlock(shape, row, [&](const QueryBlock& block) { worker.Forward(block, y); });
    }
  }
}

template <class T>
void RelativeAttentionBackward(const RelativeAttentionShape& shape,
                               const RelativeAttentionArrays<const T*>& in, const T* gy,
                               const RelativeAttentionArrays<T*>& gradients, T* scratch) {
  RelativeHead<T> worker(shape, in, scratch);
  for (int64_t head = 0; head < shape.heads; ++head) {
    worker.Begin(head);
    for (int64_t row = 0; row < shape.rows; ++row) {
      ForEachBlock(shape, row,
                   [&](const QueryBlock& block) { worker.Backward(block, gy, gradients); });
    }
    worker.End(gradients.r);
  }
}

#define SSM_INSTANTIATE(T)                                                                    \
  template int64_t RelativeAttentionScratch<T>(const RelativeAttentionShape&);                \
  template void RelativeAttention(const RelativeAttentionShape&,                              \
                                  const RelativeAttentionArrays<const T*>&, T*, T*);          \
  template void RelativeAttentionBackward(const RelativeAttentionShape&,                      \
                                          const RelativeAttentionArrays<const T*>&, const T*, \
                                          const RelativeAttentionArrays<T*>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
