#include "ssm/kernels/cross_attention.h"

#include "ssm/kernels/elementary.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/pieces.h"
#include "ssm/kernels/product_tile-inl.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// Queries taken at a time.
constexpr int64_t kQueries = 64;

template <class T>
class CrossHead {
 public:
  CrossHead(const CrossAttentionShape& shape, T* scratch)
      : shape_(shape), depth_(shape.d_head), padded_(WholeVectors<T>(depth_)) {
    Pieces<T> pieces(scratch);
    rows_ = pieces.Take(shape.keys * depth_);
    packed_ = pieces.Take(PackedSize<T>(depth_, shape.keys));
    for (T** part : {&keys_, &values_}) *part = pieces.Take(shape.keys * padded_);
    for (T** part : {&queries_, &sums_}) *part = pieces.Take(kQueries * padded_);
    for (T** part : {&weights_, &g_weights_}) *part = pieces.Take(kQueries * Stride());
  }

  static int64_t Scratch(const CrossAttentionShape& shape) {
    const int64_t padded = WholeVectors<T>(shape.d_head);
    return shape.keys * (shape.d_head + 2 * padded) + PackedSize<T>(shape.d_head, shape.keys) +
           2 * kQueries * (padded + PackedColumns<T>(shape.keys));
  }

  void Forward(int64_t head, const T* q, const T* k, const T* v, T* y) {
    const int64_t at = head * depth_;
    Pack(k + at);
    Pad(shape_.keys, v + at, shape_.kv_stride, values_);
    for (int64_t first = 0; first < shape_.queries; first += kQueries) {
      const int64_t n = std::min(kQueries, shape_.queries - first);
      Weigh(n, q + first * shape_.q_stride + at);
      std::fill_n(sums_, n * padded_, T{0});
      AddProduct<T>(n, shape_.keys, padded_, {weights_, Stride(), 1}, values_, sums_);
      for (int64_t i = 0; i < n; ++i) {
        std::copy_n(sums_ + i * padded_, depth_, y + (first + i) * shape_.y_stride + at);
      }
    }
  }

  void Backward(int64_t head, const T* q, const T* k, const T* v, const T* gy, T* gq, T* gk,
                T* gv) {
    const int64_t at = head * depth_;
    for (int64_t first = 0; first < shape_.queries; first += kQueries) {
      const int64_t n = std::min(kQueries, shape_.queries - first);
      const T* rows = q + first * shape_.q_stride + at;
      Pack(k + at);
      Weigh(n, rows);
      Pack(v + at);
      Pad(n, gy + first * shape_.y_stride + at, shape_.y_stride, queries_);
      MultiplyPacked(n, depth_, shape_.keys, queries_, padded_, packed_, g_weights_);
      AddTransposed(n, weights_, queries_, gv + at);
      Differentiate(n);
      Pad(n, rows, shape_.q_stride, queries_);
      AddTransposed(n, g_weights_, queries_, gk + at);
      Pad(shape_.keys, k + at, shape_.kv_stride, keys_);
      std::fill_n(sums_, n * padded_, T{0});
      AddProduct<T>(n, shape_.keys, padded_, {g_weights_, Stride(), 1}, keys_, sums_);
      for (int64_t i = 0; i < n; ++i) {
        Axpy(depth_, T{1}, sums_ + i * padded_, gq + (first + i) * shape_.q_stride + at);
      }
    }
  }

 private:
  int64_t Stride() const { return PackedColumns<T>(shape_.keys); }

  void Pack(const T* from) {
    for (int64_t j = 0; j < shape_.keys; ++j) {
      std::copy_n(from + j * shape_.kv_stride, depth_, rows_ + j * depth_);
    }
    PackTransposed(depth_, shape_.keys, rows_, static_cast<const T*>(nullptr), packed_);
  }
  void Pad(int64_t n, const T* from, int64_t stride, T* to) const {
    for (int64_t i = 0; i < n; ++i, from += stride, to += padded_) {
      std::fill(std::copy_n(from, depth_, to), to + padded_, T{0});
    }
  }
  void Weigh(int64_t n, const T* q) {
    MultiplyPacked(n, depth_, shape_.keys, q, shape_.q_stride, packed_, weights_);
    for (int64_t i = 0; i < n; ++i) {
      T* w = weights_ + i * Stride();
      const T largest = Largest(shape_.keys, w);
#pragma omp simd
      for (int64_t j = 0; j < shape_.keys; ++j) w[j] = Exp(w[j] - largest);
      const T inverse = 1 / Sum(shape_.keys, w);
#pragma omp simd
      for (int64_t j = 0; j < shape_.keys; ++j) w[j] *= inverse;
    }
  }
  /// Gradients of weights become those of scores.
  void Differentiate(int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const T* w = weights_ + i * Stride();
      T* g = g_weights_ + i * Stride();
      const T mean = Dot(shape_.keys, w, g);
#pragma omp simd
      for (int64_t j = 0; j < shape_.keys; ++j) g[j] = w[j] * (g[j] - mean);
    }
  }
  /// to [keys, D] += w^T rows.
  void AddTransposed(int64_t n, const T* w, const T* rows, T* to) {
    std::fill_n(values_, shape_.keys * padded_, T{0});
    AddProduct<T>(shape_.keys, n, padded_, {w, 1, Stride()}, rows, values_);
    for (int64_t j = 0; j < shape_.keys; ++j) {
      Axpy(depth_, T{1}, values_ + j * padded_, to + j * shape_.kv_stride);
    }
  }

  const CrossAttentionShape& shape_;
  int64_t depth_, padded_;
  T *rows_, *packed_, *keys_, *values_, *queries_, *sums_, *weights_, *g_weights_;
};

}  // namespace

template <class T>
int64_t CrossAttentionScratch(const CrossAttentionShape& most) {
  return CrossHead<T>::Scratch(most);
}

template <class T>
void CrossAttention(const CrossAttentionShape& shape, const T* q, const T* k, const T* v, T* y,
                    T* scratch) {
  CrossHead<T> worker(shape, scratch);
  for (int64_t head = 0; head < shape.heads; ++head) worker.Forward(head, q, k, v, y);
}

template <class T>
void CrossAttentionBackward(const CrossAttentionShape& shape, const T* q, const T* k, const T* v,
                            const T* gy, T* gq, T* gk, T* gv, T* scratch) {
  CrossHead<T> worker(shape, scratch);
  for (int64_t head = 0; head < shape.heads; ++head) {
    worker.Backward(head, q, k, v, gy, gq, gk, gv);
  }
}

#define SSM_INSTANTIATE(T)                                                                        \
  template int64_t CrossAttentionScratch<T>(const CrossAttentionShape&);                          \
  template void CrossAttention(const CrossAttentionShape&, const T*, const T*, const T*, T*, T*); \
  template void CrossAttentionBackward(const CrossAttentionShape&, const T*, const T*, const T*,  \
                                       const T*, T*, T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
