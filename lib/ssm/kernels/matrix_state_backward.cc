#include "ssm/kernels/matrix_state_chunk-inl.h"

namespace ssm::kernels {
namespace {

/// Cotangents of what a chunk was computed from.
template <class T>
struct ChunkCotangents {
  ChunkCotangents(const MatrixStateShape& shape, Pieces<T>& pieces) {
    const int64_t n = std::min(shape.chunk, shape.steps), keys = n * shape.d_k;
    q = pieces.Take(keys);
    k = pieces.Take(keys);
    q_in = pieces.Take(keys);
    k_out = pieces.Take(keys);
    v = pieces.Take(n * shape.columns());
    seen = pieces.Take(n * n);
    gram = pieces.Take(n * n);
    total = pieces.Take(shape.d_k);
    decay = pieces.Take(shape.decay == MatrixDecay::kKey ? keys : n);
    sums = pieces.Take(2 * std::max(n, shape.d_k));
    if (shape.decay != MatrixDecay::kKey) return;
    q_decayed = pieces.Take(keys);
    k_decayed = pieces.Take(keys);
    wide = pieces.Take(keys);
  }
  static int64_t Size(const MatrixStateShape& shape) {
    const int64_t n = std::min(shape.chunk, shape.steps), keys = n * shape.d_k;
    const bool by_key = shape.decay == MatrixDecay::kKey;
    return (by_key ? 8 : 4) * keys + n * shape.columns() + 2 * n * n + shape.d_k +
           (by_key ? 0 : n) + 2 * std::max(n, shape.d_k);
  }

  T *q, *k;  // of the group
  T *q_in, *k_out, *v, *seen, *gram;
  T* total;  // [d_k] times total itself: of its logarithm
  T *decay, *sums;
  // One factor a key channel: what comes through decays between two tokens.
  T *q_decayed = nullptr, *k_decayed = nullptr, *wide = nullptr;
};

/// to [i, d] += factors of row i times rows.
template <class T>
void AddScaledRows(int64_t n, int64_t width, const T* factors, const T* rows, T* to) {
  for (int64_t i = 0; i < n; ++i) Axpy(width, factors[i], rows + i * width, to + i * width);
}

template <class T>
inline void AddProducts(int64_t n, const T* a, const T* b, T* to) {
#pragma omp simd
  for (int64_t d = 0; d < n; ++d) to[d] += a[d] * b[d];
}

/// Through WeighByHead: to q, k, gram and, if `decays`, the logarithms. Every sum is over the pairs
/// of tokens that a decay stands between; nothing cancels.
template <class T>
void UnweighByHead(const MatrixStateShape& shape, const MatrixChunk& chunk,
                   const ChunkRoom<T>& room, const ChunkCotangents<T>& g, bool decays) {
  const int64_t n = chunk.size, d_k = shape.d_k;
  AddProducts(n * n, g.seen, room.between, g.gram);
  AddScaledRows(n, d_k, room.in, g.q_in, g.q);
  AddScaledRows(n, d_k, room.out, g.k_out, g.k);
  if (!decays) return;
  // What token i reads of the state before, and what the next state has of token j.
  T *read = g.sums, *written = g.sums + n;
  for (int64_t i = 0; i < n; ++i) {
    read[i] = Dot(d_k, room.q_in + i * d_k, g.q_in + i * d_k);
    written[i] = Dot(d_k, room.k_out + i * d_k, g.k_out + i * d_k);
  }
  MultiplyRow(n * n, g.seen, room.seen, g.seen);
  T before = 0;
  for (int64_t t = 0; t < n; ++t) {
    g.decay[t] = before;
    before += written[t];
  }
  T after = Sum(d_k, g.total);
  for (int64_t t = n - 1; t >= 0; --t) {
    T* row = g.seen + t * n;
    if (t + 1 < n) Axpy(t, T{1}, row + n, row);
    after += read[t];
    g.decay[t] += after + Sum(t, row);
  }
}

/// One block of UnweighByKey.
template <class T>
void UnweighBlock(const KeyBlock<T>& block, int64_t n, int64_t d_k, const ChunkRoom<T>& room,
                  const ChunkCotangents<T>& g) {
  const int64_t s = block.s, m = block.size();
  for (int64_t i = 0; i < m; ++i) {
    std::copy_n(g.seen + (s + i) * n, s, room.block + i * s);
  }
  Gemm(m, d_k, s, room.block, room.k_now, g.wide, Write::kAssign);
  for (int64_t i = 0; i < m; ++i) {
    // q_in = q since total.
    AddProducts(d_k, g.q_in + (s + i) * d_k, room.total, g.wide + i * d_k);
  }
  AddProducts(m * d_k, g.wide, room.since + s * d_k, g.q_decayed + s * d_k);
  GemmTransposedA(s, d_k, m, room.block, room.q_block, g.wide, Write::kAssign);
  AddProducts(s * d_k, g.wide, room.until, g.k_decayed);
  for (int64_t j = s; j < block.e; ++j) {
    const T same = g.seen[j * n + j];
    Axpy(d_k, same, room.k + j * d_k, g.q + j * d_k);
    Axpy(d_k, same, room.q + j * d_k, g.k + j * d_k);
    std::fill_n(room.running, d_k, T{1});
    for (int64_t i = j + 1; i < block.e; ++i) {
      MultiplyRow(d_k, room.running, room.factor + i * d_k, room.running);
      const T cotangent = g.seen[i * n + j];
      const T *k = room.k + j * d_k, *q = room.q + i * d_k;
      T *gq = g.q_decayed + i * d_k, *gk = g.k_decayed + j * d_k;
#pragma omp simd
      for (int64_t d = 0; d < d_k; ++d) {
        const T pair = cotangent * room.running[d];
        gq[d] += pair * k[d];
        gk[d] += pair * q[d];
      }
    }
  }
}

/// Through WeighByKey. The logarithm at t receives q o dq of later tokens less k o dk of those that
/// later tokens see, and k o dk of earlier ones in the next state.
template <class T>
void UnweighByKey(const MatrixStateShape& shape, const MatrixChunk& chunk, const ChunkRoom<T>& room,
                  const ChunkCotangents<T>& g, bool decays) {
  const int64_t n = chunk.size, d_k = shape.d_k, keys = n * d_k;
  std::fill_n(g.q_decayed, keys, T{0});
  std::fill_n(g.k_decayed, keys, T{0});
  std::fill_n(room.total, d_k, T{1});
  for (int64_t s = 0; s < n; s += kKeyBlock) {
    const KeyBlock<T> block{s, std::min(s + kKeyBlock, n)};
    block.Open(d_k, room);
    UnweighBlock(block, n, d_k, room, g);
    block.Close(d_k, room);
  }
  MultiplyRow(keys, g.k_out, room.until, g.k_out);
  Axpy(keys, T{1}, g.q_decayed, g.q);
  Axpy(keys, T{1}, g.k_decayed, g.k);
  Axpy(keys, T{1}, g.k_out, g.k);
  if (!decays) return;
  T *before = g.sums, *after = g.sums + d_k;
  std::fill_n(before, d_k, T{0});
  std::copy_n(g.total, d_k, after);
  for (int64_t t = 0; t < n; ++t) {
    std::copy_n(before, d_k, g.decay + t * d_k);
    AddProducts(d_k, room.k + t * d_k, g.k_out + t * d_k, before);
  }
  for (int64_t t = n - 1; t >= 0; --t) {
    const int64_t at = t * d_k;
#pragma omp simd
    for (int64_t d = 0; d < d_k; ++d) {
      after[d] += room.q[at + d] * g.q_decayed[at + d] - room.k[at + d] * g.k_decayed[at + d];
      g.decay[at + d] += after[d];
    }
  }
}

/// Everything of one head of a chunk: room holds the pass forward, gstate goes from after the chunk
/// to before it.
template <class T>
void StepChunkBack(const MatrixStateShape& shape, const MatrixChunk& chunk,
                   const ChunkRoom<T>& room, const T* state, T* gstate, const ChunkCotangents<T>& g,
                   bool decays) {
  const int64_t n = chunk.size, d_k = shape.d_k, columns = shape.columns();
  GemmTransposedB(n, n, columns, room.y, room.v, g.seen, Write::kAssign);
  for (int64_t i = 0; i < n; ++i) std::fill(g.seen + i * n + i + 1, g.seen + (i + 1) * n, T{0});
  GemmTransposedA(n, columns, n, room.seen, room.y, g.v, Write::kAssign);
  Gemm(n, columns, d_k, room.k_out, gstate, g.v, Write::kAdd);
  GemmTransposedB(n, d_k, columns, room.v, gstate, g.k_out, Write::kAssign);
  std::fill_n(g.total, d_k, T{0});
  if (chunk.ReadsState() && state != nullptr) {
    GemmTransposedB(n, d_k, columns, room.y, state, g.q_in, Write::kAssign);
    for (int64_t d = 0; d < d_k; ++d) {
      g.total[d] = room.total[d] * Dot(columns, state + d * columns, gstate + d * columns);
    }
  } else {
    std::fill_n(g.q_in, n * d_k, T{0});
  }
  if (chunk.ReadsState()) {
    ScaleRows(d_k, columns, room.total, gstate, gstate);
    GemmTransposedA(d_k, columns, n, room.q_in, room.y, gstate, Write::kAdd);
  } else {
    std::fill_n(gstate, shape.head_size(), T{0});
  }
  if (shape.decay == MatrixDecay::kKey) {
    UnweighByKey(shape, chunk, room, g, decays);
  } else {
    UnweighByHead(shape, chunk, room, g, decays);
  }
}

/// The logarithm of a decay that nothing follows from has no gradient.
template <class T>
void ScatterDecays(const MatrixStateShape& shape, const MatrixChunk& chunk, int64_t head,
                   const T* decay, TokenColumns<T> to) {
  const int64_t width = shape.decays() / shape.heads;
  for (int64_t i = 0; i < chunk.size; ++i) {
    if (chunk.pos[i] > 0) {
      Axpy(width, T{1}, decay + i * width, to.At(chunk.first + i) + head * width);
    }
  }
}

template <class T>
struct BackwardWalk {
  const MatrixStateShape& shape;
  const MatrixStatePass<T>& pass;
  const MatrixStateGradients<T>& gradients;
  ChunkRoom<T> room;
  ChunkCotangents<T> g;

  const T* StateBefore(int64_t row, int64_t c) const {
    const int64_t size = shape.state_size();
    if (c > 0) return pass.kept + (row * shape.kept() + c - 1) * size;
    return pass.before == nullptr ? nullptr : pass.before + row * size;
  }

  void CloseGroup(const MatrixChunk& chunk, int64_t group) const {
    const int64_t n = chunk.size, d_k = shape.d_k;
    if (shape.decay != MatrixDecay::kKey) {
      Gemm(n, d_k, n, g.gram, room.k, g.q, Write::kAdd);
      GemmTransposedA(n, d_k, n, g.gram, room.q, g.k, Write::kAdd);
    }
    ScatterTokens(chunk, g.q, d_k, static_cast<T>(shape.scale), gradients.q, group * d_k, d_k);
    ScatterTokens(chunk, g.k, d_k, T{1}, gradients.k, group * d_k, d_k);
  }

  void Chunk(int64_t row, int64_t c, T* gstates) const {
    const MatrixChunk chunk = ChunkAt(shape, row, c);
    const int64_t n = chunk.size, columns = shape.columns();
    const int64_t heads_each = shape.heads / shape.groups;
    const T* states = StateBefore(row, c);
    const bool decays = gradients.log_decay.from != nullptr;
    for (int64_t head = 0; head < shape.heads; ++head) {
      if (head % heads_each == 0) {
        OpenGroup(shape, chunk, pass.in, head / heads_each, room);
        std::fill_n(g.q, n * shape.d_k, T{0});
        std::fill_n(g.k, n * shape.d_k, T{0});
        std::fill_n(g.gram, n * n, T{0});
      }
      OpenHead(shape, chunk, pass.in, head, room);
      std::fill_n(room.y, n * columns, T{0});
      if (pass.gy != nullptr) {
        GatherTokens(chunk, {pass.gy, shape.heads * columns}, head * columns, columns, columns,
                     T{1}, room.y);
      }
      const int64_t at = head * shape.head_size();
      StepChunkBack(shape, chunk, room, states == nullptr ? nullptr : states + at, gstates + at, g,
                    decays);
      ScatterTokens(chunk, g.v, columns, T{1}, gradients.v, head * shape.d_v, shape.d_v);
      if (decays) ScatterDecays(shape, chunk, head, g.decay, gradients.log_decay);
      if ((head + 1) % heads_each == 0) CloseGroup(chunk, head / heads_each);
    }
  }
};

}  // namespace

int64_t MatrixStateBackwardScratch(const MatrixStateShape& shape) {
  return ChunkRoom<float>::Size(shape) + ChunkCotangents<float>::Size(shape) + shape.state_size();
}

template <class T>
void MatrixStateBackward(const MatrixStateShape& shape, const MatrixStatePass<T>& pass,
                         const MatrixStateGradients<T>& gradients, T* scratch) {
  Pieces<T> pieces(scratch);
  const int64_t size = shape.state_size();
  T* gstate = pieces.Take(size);
  const BackwardWalk<T> walk{shape, pass, gradients, ChunkRoom<T>(shape, pieces),
                             ChunkCotangents<T>(shape, pieces)};
  for (int64_t row = 0; row < shape.rows; ++row) {
    if (pass.glast == nullptr) std::fill_n(gstate, size, T{0});
    if (pass.glast != nullptr) std::copy_n(pass.glast + row * size, size, gstate);
    for (int64_t c = shape.chunks() - 1; c >= 0; --c) walk.Chunk(row, c, gstate);
    if (gradients.state != nullptr) Axpy(size, T{1}, gstate, gradients.state + row * size);
  }
}

#define SSM_INSTANTIATE(T)                                                              \
  template void MatrixStateBackward(const MatrixStateShape&, const MatrixStatePass<T>&, \
                                    const MatrixStateGradients<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
