#include "ssm/kernels/delta_chunk-inl.h"
#include "ssm/kernels/delta_rule.h"

namespace ssm::kernels {
namespace {

using internal::DeltaChunk;
using internal::DeltaPlace;

/// Gradients within one chunk of n tokens; rows of q, then of k.
template <class T>
struct ChunkGradients {
  T* out;       // [2 n, d_value]: of Y, then of (I + A) U
  T* u;         // [n, d_value]
  T* v;         // [n, d_value]: of V - gamma K S
  T* reads;     // [2 n, d_value]: of what q and k read of S
  T* products;  // [2 n, n]: of D * Q K^T, then of A
  T* qk;        // [2 n, d_key]
  T* part;      // [n, d_key]
  T* g;         // [n + 1]: sums over later tokens of gradients of exponents
  T* gamma;     // [n]: of log gamma
  T* to_end;    // [n]: of the exponents of the decay to the end
  T* s;         // [d_key, d_value]: of the state before

  static int64_t Size(const DeltaRuleShape& s) {
    const int64_t n = s.longest();
    return n * (6 * s.d_value + 3 * s.d_key + 2 * n + 3) + 1 + s.state();
  }
  ChunkGradients(const DeltaRuleShape& shape, Pieces<T>& room) {
    const int64_t n = shape.longest();
    out = room.Take(2 * n * shape.d_value);
    u = room.Take(n * shape.d_value);
    v = room.Take(n * shape.d_value);
    reads = room.Take(2 * n * shape.d_value);
    products = room.Take(2 * n * n);
    qk = room.Take(2 * n * shape.d_key);
    part = room.Take(n * shape.d_key);
    g = room.Take(n + 1);
    gamma = room.Take(n);
    to_end = room.Take(n);
    s = room.Take(shape.state());
  }
};

/// Adds rows [n, width] of one head into the columns they came from.
template <class T>
void ScatterHead(const DeltaRuleShape& shape, const DeltaPlace& at, int64_t column, int64_t width,
                 T factor, const T* from, T* gqkv) {
  T* to = gqkv + (at.row * shape.steps + at.first) * shape.width() + column;
  for (int64_t i = 0; i < at.n; ++i) Axpy(width, factor, from + i * width, to + i * shape.width());
}

/// From dS after the chunk and dY to dU, then through (I + A)^-1 to d((I + A) U), and to the
/// gradients of both tables of products.
template <class T>
void ThroughSolution(const DeltaRuleShape& shape, const DeltaPlace& at, const T* gs,
                     DeltaChunk<T>& chunk, ChunkGradients<T>& d) {
  const int64_t n = at.n, dk = shape.d_key, dv = shape.d_value;
  internal::ScaleRows(n, dk, chunk.to_end, chunk.k(shape), chunk.scaled);
  Gemm(n, dv, dk, chunk.scaled, gs, d.u, Write::kAssign);
  GemmTransposedA(n, dv, n, chunk.products, d.out, d.u, Write::kAdd);
  GemmTransposedA(n, dv, n, chunk.inverse, d.u, d.out + n * dv, Write::kAssign);
  GemmTransposedB(2 * n, n, dv, d.out, chunk.u, d.products, Write::kAssign);
}

/// The gradients of what tokens read of the state before, and from them that of this state.
template <class T>
void ThroughReads(const DeltaRuleShape& shape, const DeltaPlace& at, const T* s, T* gs,
                  DeltaChunk<T>& chunk, ChunkGradients<T>& d) {
  const int64_t n = at.n, dk = shape.d_key, dv = shape.d_value;
  std::fill_n(d.gamma, n, T{0});
  if (!chunk.reads) {
    std::fill_n(d.qk, 2 * n * dk, T{0});
    std::fill_n(gs, shape.state(), T{0});
    return;
  }
  internal::ScaleRows(n, dv, chunk.gamma, d.out, d.reads);
  internal::ScaleRows(n, dv, chunk.gamma, d.v, d.reads + n * dv);
  for (int64_t i = n * dv; i < 2 * n * dv; ++i) d.reads[i] = -d.reads[i];
  GemmTransposedB(2 * n, dk, dv, d.reads, s, d.qk, Write::kAssign);
  for (int64_t i = 0; i < 2 * n; ++i) {
    d.gamma[i % n] += Dot(dk, chunk.qk + i * dk, d.qk + i * dk);
  }
  const T kept = chunk.gamma[n - 1];
  d.gamma[n - 1] += kept * Dot(shape.state(), s, gs);
  for (int64_t i = 0; i < shape.state(); ++i) gs[i] *= kept;
  GemmTransposedA(dk, dv, 2 * n, chunk.qk, d.reads, gs, Write::kAdd);
}

/// Turns the gradients of D * Q K^T and of A into those of the bare products, and leaves those of
/// the exponents of D in chunk.decay, of beta in gbeta.
template <class T>
void ThroughDecays(const DeltaRuleShape& shape, const DeltaPlace& at, const T* beta, T* gbeta,
                   DeltaChunk<T>& chunk, ChunkGradients<T>& d) {
  const int64_t n = at.n;
  T *gq = d.products, *ga = d.products + n * n;
  for (int64_t i = 0; i < n; ++i) {
    const T b = beta[i * shape.heads];
    const T *dq = chunk.products + i * n, *dk = chunk.kk() + i * n;
    T *row_q = gq + i * n, *row_a = ga + i * n, *decay = chunk.decay + i * n;
    if (gbeta != nullptr) gbeta[i * shape.heads] -= Dot(i, row_a, dk);
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      const T a = j < i ? -b * row_a[j] : T{0};
      const T own = decay[j];
      decay[j] = j < i ? dq[j] * row_q[j] + dk[j] * a : T{0};
      row_q[j] *= own;
      row_a[j] = own * a;
    }
  }
}

/// d(log decay) of each token: the sum over exponents that hold it, of pairs i >= t > j.
template <class T>
void DecayGradients(const DeltaRuleShape& shape, const DeltaPlace& at, const DeltaChunk<T>& chunk,
                    ChunkGradients<T>& d, T* glog_decay) {
  const int64_t n = at.n;
  T later = 0;  // of log gamma, from token i on
  std::fill_n(d.g, n, T{0});
  Axpy(n - 1, T{1}, d.to_end, d.g);
  for (int64_t i = n - 1; i >= 0; --i) {
    later += d.gamma[i];
    Axpy(i, T{1}, chunk.decay + i * n, d.g);
    glog_decay[i * shape.heads] += later + Sum(i, d.g);
  }
}

/// All of one chunk; gs [d_key, d_value] comes in as dS after it and goes out as dS before it.
template <class T>
void BackThroughChunk(const DeltaRuleShape& shape, const DeltaPlace& at, const T* s, const T* beta,
                      const T* gy, const DeltaRuleGradients<T>& to, T* gs, DeltaChunk<T>& chunk,
                      ChunkGradients<T>& d) {
  const int64_t n = at.n, dk = shape.d_key, dv = shape.d_value, keys = shape.heads * dk;
  const int64_t token = at.row * shape.steps + at.first;
  const T* own_beta = beta + token * shape.heads + at.head;
  T* gbeta = to.beta == nullptr ? nullptr : to.beta + token * shape.heads + at.head;
  for (int64_t i = 0; i < n; ++i) {
    const T* from = gy == nullptr ? nullptr : gy + (token + i) * shape.values() + at.head * dv;
    if (from == nullptr) std::fill_n(d.out + i * dv, dv, T{0});
    if (from != nullptr) std::copy_n(from, dv, d.out + i * dv);
  }
  ThroughSolution(shape, at, gs, chunk, d);
  const T* gsolved = d.out + n * dv;
  for (int64_t i = 0; i < n; ++i) {
    const T b = own_beta[i * shape.heads];
    if (gbeta != nullptr) gbeta[i * shape.heads] += Dot(dv, gsolved + i * dv, chunk.v + i * dv);
#pragma omp simd
    for (int64_t j = 0; j < dv; ++j) d.v[i * dv + j] = b * gsolved[i * dv + j];
  }
  ThroughDecays(shape, at, own_beta, gbeta, chunk, d);
  // The last write: K to the end and U make the state after.
  T* gk_end = d.part;
  GemmTransposedB(n, dk, dv, chunk.u, gs, gk_end, Write::kAssign);
  internal::ScaleRows(n, dk, chunk.to_end, gk_end, gk_end);
  for (int64_t i = 0; i < n; ++i) {
    d.to_end[i] = Dot(dk, chunk.k(shape) + i * dk, gk_end + i * dk);
  }
  ThroughReads(shape, at, s, gs, chunk, d);
  T* gk = d.qk + n * dk;
  Axpy(n * dk, T{1}, gk_end, gk);
  Gemm(2 * n, dk, n, d.products, chunk.k(shape), d.qk, Write::kAdd);
  GemmTransposedA(n, dk, 2 * n, d.products, chunk.qk, gk, Write::kAdd);
  if (to.qkv != nullptr) {
    const T scale = static_cast<T>(shape.scale);
    ScatterHead(shape, at, at.head * dk, dk, scale, d.qk, to.qkv);
    ScatterHead(shape, at, keys + at.head * dk, dk, T{1}, gk, to.qkv);
    ScatterHead(shape, at, 2 * keys + at.head * dv, dv, T{1}, d.v, to.qkv);
  }
  if (to.log_decay != nullptr) {
    DecayGradients(shape, at, chunk, d, to.log_decay + token * shape.heads + at.head);
  }
}

}  // namespace

template <class T>
int64_t DeltaRuleBackwardScratch(const DeltaRuleShape& shape) {
  return DeltaChunk<T>::Size(shape) + ChunkGradients<T>::Size(shape);
}

template <class T>
void DeltaRuleBackward(const DeltaRuleShape& shape, const T* qkv, const T* beta, const T* log_decay,
                       const T* states, const T* gy, const DeltaRuleGradients<T>& gradients,
                       T* scratch) {
  Pieces<T> room(scratch);
  DeltaChunk<T> chunk(shape, room);
  ChunkGradients<T> d(shape, room);
  const int64_t size = shape.state();
  for (int64_t row = 0; row < shape.rows; ++row) {
    const int64_t real = internal::RealTokens(shape, row);
    const int64_t chunks = (real + shape.chunk - 1) / shape.chunk;
    for (int64_t head = 0; head < shape.heads; ++head) {
      const int64_t own = row * shape.heads + head;
      for (int64_t c = chunks - 1; c >= 0; --c) {
        const int64_t first = c * shape.chunk;
        const DeltaPlace at{row, head, first, std::min(shape.chunk, real - first)};
        const bool fresh = shape.pos[row * shape.steps + first] == 0;
        const T* s = fresh ? nullptr : states + (own * shape.chunks() + c) * size;
        internal::OpenChunk(shape, at, qkv, beta, log_decay, s, chunk);
        BackThroughChunk(shape, at, s, beta, gy, gradients, gradients.s + own * size, chunk, d);
      }
    }
  }
}

#define SSM_INSTANTIATE(T)                                                                       \
  template int64_t DeltaRuleBackwardScratch<T>(const DeltaRuleShape&);                           \
  template void DeltaRuleBackward(const DeltaRuleShape&, const T*, const T*, const T*, const T*, \
                                  const T*, const DeltaRuleGradients<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
