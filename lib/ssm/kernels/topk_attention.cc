#include "ssm/kernels/topk_attention.h"

#include "ssm/kernels/attention_softmax-inl.h"

namespace ssm::kernels {
namespace {

/// Keys in the order they lie: kept ones, the ring, the token itself.
template <class T, class Head>
class TopkHeads {
 public:
  TopkHeads(const Head& head, const TopkShape& shape, const TopkQuery<T>& query,
            const TopkMemory<T>& memory, T* scratch)
      : head_(head),
        shape_(shape),
        query_(query),
        memory_(memory),
        kept_(shape.KeptAfter(query.position)),
        ring_(std::min(query.position, shape.window - 1)),
        weights_(scratch),
        mass_(scratch + shape.window + shape.kept) {}

  void Run(T* y, const TopkStatistics<T>& statistics) const {
    const int64_t n = kept_ + ring_ + 1, width = shape_.width();
    std::fill_n(mass_, n, T{0});
    for (int64_t h = 0; h < shape_.heads; ++h) {
      const int64_t first = h * shape_.d_head;
      Score(h);
      const T largest = Largest(n, weights_);
#pragma omp simd
      for (int64_t j = 0; j < n; ++j) weights_[j] = Exp(weights_[j] - largest);
      const T sum = Sum(n, weights_), inverse = 1 / sum;
      for (int64_t j = 0; j < n; ++j) weights_[j] *= inverse;
      Axpy(n, T{1}, weights_, mass_);
      T* to = y + first;
      std::fill_n(to, shape_.d_head, T{0});
      head_.AddRows(kept_, weights_, memory_.kept_v + first, width, to);
      head_.AddRows(ring_, weights_ + kept_, memory_.v + first, width, to);
      Axpy(shape_.d_head, weights_[n - 1], query_.qkv + 2 * width + first, to);
      if (statistics.largest == nullptr) continue;
      statistics.largest[h * statistics.stride] = largest;
      statistics.sum[h * statistics.stride] = sum;
    }
    Axpy(kept_, T{1}, mass_, memory_.kept_mass);
    Axpy(ring_, T{1}, mass_ + kept_, memory_.mass);
  }

  /// Attention that the token drew from itself.
  T OwnMass() const { return mass_[kept_ + ring_]; }

 private:
  void Score(int64_t h) const {
    const int64_t width = shape_.width(), first = h * shape_.d_head;
    const T* q = query_.qkv + first;
    const T scale = AttentionScale<T>(shape_.d_head);
    T* w = weights_;
    for (int64_t j = 0; j < kept_; ++j) {
      *w++ = head_.Product(q, memory_.kept_k + j * width + first) * scale;
    }
    for (int64_t j = 0; j < ring_; ++j) {
      *w++ = head_.Product(q, memory_.k + j * width + first) * scale;
    }
    *w = head_.Product(q, query_.qkv + width + first) * scale;
    if (!query_.bias.any()) return;
    w = weights_;
    for (int64_t j = 0; j < kept_; ++j) {
      const int64_t position = static_cast<int64_t>(memory_.kept_position[j]);
      *w++ += query_.bias.At(h, query_.position - position);
    }
    // Entries before the oldest hold newer tokens than those from it on.
    const int64_t newer =
        ring_ < shape_.window - 1 ? ring_ : query_.position % std::max<int64_t>(ring_, 1);
    for (int64_t j = 0; j < ring_; ++j) {
      *w++ += query_.bias.At(h, j < newer ? newer - j : ring_ + newer - j);
    }
    *w += query_.bias.At(h, 0);
  }

  const Head& head_;
  const TopkShape& shape_;
  const TopkQuery<T>& query_;
  const TopkMemory<T>& memory_;
  int64_t kept_, ring_;
  T *weights_, *mass_;
};

template <class T>
int64_t Choose(const TopkShape& shape, int64_t position, const T* kept_mass, T mass) {
  const int64_t kept = shape.KeptAfter(position);
  if (kept < shape.kept) return kept;
  const T* least = std::min_element(kept_mass, kept_mass + kept);
  return mass > *least ? least - kept_mass : kTopkDropped;
}

/// The token that leaves takes entry `to`.
template <class T>
void Keep(const TopkShape& shape, const TopkMemory<T>& memory, int64_t position, const T* k,
          const T* v, T mass, int64_t to) {
  std::copy_n(k, shape.width(), memory.kept_k + to * shape.width());
  std::copy_n(v, shape.width(), memory.kept_v + to * shape.width());
  memory.kept_mass[to] = mass;
  memory.kept_position[to] = static_cast<T>(position);
}

}  // namespace

template <class T>
int64_t TopkToken(const TopkShape& shape, const TopkQuery<T>& query, const TopkMemory<T>& memory,
                  T* y, const TopkStatistics<T>& statistics, T* scratch) {
  const int64_t width = shape.width(), ring = shape.window - 1, position = query.position;
  const T *k = query.qkv + width, *v = k + width;
  T own = 0;
  WithHead<T>(shape.d_head, [&](const auto& head) {
    const TopkHeads heads(head, shape, query, memory, scratch);
    heads.Run(y, statistics);
    own = heads.OwnMass();
  });
  const int64_t at = ring > 0 ? position % ring : 0;
  int64_t choice = kTopkFree;
  if (position >= ring) {
    const T* k_leaves = ring > 0 ? memory.k + at * width : k;
    const T* v_leaves = ring > 0 ? memory.v + at * width : v;
    const T mass = ring > 0 ? memory.mass[at] : own;
    choice =
        query.forced != kTopkFree ? query.forced : Choose(shape, position, memory.kept_mass, mass);
    if (choice >= 0) Keep(shape, memory, position - ring, k_leaves, v_leaves, mass, choice);
  }
  if (ring == 0) return choice;
  std::copy_n(k, width, memory.k + at * width);
  std::copy_n(v, width, memory.v + at * width);
  memory.mass[at] = own;
  return choice;
}

template <class T>
void TopkKeyBackward(const TopkShape& shape, const TopkQuery<T>& query, const TopkKey<T>& key,
                     const T* gy, const T* mean, const TopkStatistics<T>& statistics, T* g_q,
                     T* g_table) {
  const int64_t size = shape.d_head;
  const T scale = AttentionScale<T>(size);
  for (int64_t h = 0; h < shape.heads; ++h) {
    const int64_t first = h * size, at = h * statistics.stride;
    const T *q = query.qkv + first, *k = key.k + first, *g = gy + first;
    const T bias = query.bias.any() ? query.bias.At(h, key.distance) : T{0};
    const T score = Dot(size, q, k) * scale + bias;
    const T weight = Exp(score - statistics.largest[at]) / statistics.sum[at];
    const T g_score = weight * (Dot(size, g, key.v + first) - mean[h]);
    if (g_q != nullptr) Axpy(size, g_score * scale, k, g_q + first);
    if (key.g_k != nullptr) Axpy(size, g_score * scale, q, key.g_k + first);
    if (key.g_v != nullptr) Axpy(size, weight, g, key.g_v + first);
    if (g_table != nullptr) g_table[query.bias.InTable(h, key.distance)] += g_score;
  }
}

#define SSM_INSTANTIATE(T)                                                                    \
  template int64_t TopkToken(const TopkShape&, const TopkQuery<T>&, const TopkMemory<T>&, T*, \
                             const TopkStatistics<T>&, T*);                                   \
  template void TopkKeyBackward(const TopkShape&, const TopkQuery<T>&, const TopkKey<T>&,     \
                                const T*, const T*, const TopkStatistics<T>&, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
