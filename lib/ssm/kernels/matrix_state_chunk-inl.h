// One chunk of one head of a matrix state. Only kernels' .cc files include this.
#pragma once

#include <algorithm>

#include "ssm/kernels/elementary.h"
#include "ssm/kernels/gemm.h"
#include "ssm/kernels/matrix_state.h"
#include "ssm/kernels/pieces.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {

/// Tokens whose decays a key channel multiplies up directly.
inline constexpr int64_t kKeyBlock = 16;

/// Tokens [first, first + size) of a row.
struct MatrixChunk {
  int64_t first = 0, size = 0;   // first counts tokens of the whole batch
  const int64_t* pos = nullptr;  // [size]

  bool Real(int64_t i) const { return pos[i] >= 0; }
  bool Starts(int64_t i) const { return pos[i] == 0; }
  /// Whether the first token's row has a state before it.
  bool ReadsState() const { return size > 0 && !Starts(0); }
};

inline MatrixChunk ChunkAt(const MatrixStateShape& shape, int64_t row, int64_t index) {
  const int64_t step = index * shape.chunk, first = row * shape.steps + step;
  return {first, std::min(shape.chunk, shape.steps - step), shape.pos + first};
}

/// to [size, width] = factor times columns [offset, offset + width) of each token; 0 at padding.
template <class T>
void GatherTokens(const MatrixChunk& chunk, TokenColumns<const T> from, int64_t offset,
                  int64_t width, int64_t stride, T factor, T* to) {
  for (int64_t i = 0; i < chunk.size; ++i, to += stride) {
    if (!chunk.Real(i)) {
      std::fill_n(to, stride, T{0});
      continue;
    }
    const T* token = from.At(chunk.first + i) + offset;
#pragma omp simd
    for (int64_t d = 0; d < width; ++d) to[d] = factor * token[d];
    if (stride > width) to[width] = 1;
  }
}

/// Adds factor times from [size, stride] to columns of the real tokens.
template <class T>
void ScatterTokens(const MatrixChunk& chunk, const T* from, int64_t stride, T factor,
                   TokenColumns<T> to, int64_t offset, int64_t width) {
  if (to.from == nullptr) return;
  for (int64_t i = 0; i < chunk.size; ++i) {
    if (chunk.Real(i)) {
      Axpy(width, factor, from + i * stride, to.At(chunk.first + i) + offset);
    }
  }
}

/// Memory for one chunk: what a head's decays make of its queries and keys.
template <class T>
struct ChunkRoom {
  ChunkRoom(const MatrixStateShape& shape, Pieces<T>& pieces) {
    const int64_t n = std::min(shape.chunk, shape.steps), keys = n * shape.d_k;
    q = pieces.Take(keys);
    k = pieces.Take(keys);
    v = pieces.Take(n * shape.columns());
    y = pieces.Take(n * shape.columns());
    q_in = pieces.Take(keys);
    k_out = pieces.Take(keys);
    total = pieces.Take(shape.d_k);
    gram = pieces.Take(n * n);
    seen = pieces.Take(n * n);
    between = pieces.Take(n * n);
    in = pieces.Take(n);
    out = pieces.Take(n);
    if (shape.decay != MatrixDecay::kKey) return;
    factor = pieces.Take(keys);
    since = pieces.Take(keys);
    until = pieces.Take(keys);
    k_now = pieces.Take(keys);
    q_block = pieces.Take(kKeyBlock * shape.d_k);
    block = pieces.Take(kKeyBlock * n);
    running = pieces.Take(shape.d_k);
  }
  static int64_t Size(const MatrixStateShape& shape) {
    const int64_t n = std::min(shape.chunk, shape.steps), keys = n * shape.d_k;
    int64_t size = 4 * keys + 2 * n * shape.columns() + shape.d_k + 3 * n * n + 2 * n;
    if (shape.decay == MatrixDecay::kKey) {
      size += 4 * keys + kKeyBlock * (shape.d_k + n) + shape.d_k;
    }
    return size;
  }

  T *q, *k, *v, *y;
  T *q_in, *k_out;  // q decayed since the chunk's start, k until its end
  T* total;         // [d_k] what is left of the state before at the chunk's end
  T* gram;          // Q K^T
  T* seen;          // Q K^T o L
  T* between;       // L
  T *in, *out;      // one factor a head: from the start, to the end
  // One factor a key channel: of a token, from its block's start to it, from it to the end of the
  // block last met; and working memory.
  T *factor = nullptr, *since = nullptr, *until = nullptr, *k_now = nullptr;
  T *q_block = nullptr, *block = nullptr, *running = nullptr;
};

/// to [n, width] = each row of `rows` times its factor.
template <class T>
void ScaleRows(int64_t n, int64_t width, const T* factors, const T* rows, T* to) {
  for (int64_t i = 0; i < n; ++i, rows += width, to += width) {
    const T factor = factors[i];
#pragma omp simd
    for (int64_t d = 0; d < width; ++d) to[d] = factor * rows[d];
  }
}

template <class T>
inline void MultiplyRow(int64_t n, const T* a, const T* b, T* to) {
#pragma omp simd
  for (int64_t d = 0; d < n; ++d) to[d] = a[d] * b[d];
}

/// What one factor a head (or none) makes of a chunk: between, in, out, and from them seen, q_in,
/// k_out and total. Exponents are sums over the stretch between two tokens: none exceeds 0.
template <class T>
void WeighByHead(const MatrixStateShape& shape, const MatrixChunk& chunk,
                 TokenColumns<const T> log_decay, int64_t head, const ChunkRoom<T>& room) {
  const int64_t n = chunk.size;
  const bool decays = log_decay.from != nullptr;
  T* row = room.between;
  int64_t visible = 0;
  T since = 0;
  bool state = true;
  for (int64_t i = 0; i < n; ++i, row += n) {
    const T g = decays && chunk.Real(i) ? log_decay.At(chunk.first + i)[head] : T{0};
    if (chunk.Starts(i)) {
      visible = i;
      state = false;
    }
    since += g;
    room.in[i] = state ? since : T{0};
    // Sums now, in place of which exponentials come below.
    for (int64_t j = visible; j < i; ++j) row[j] = row[j - n] + g;
    std::fill_n(row, visible, T{0});
    row[i] = 0;
    std::fill(row + i + 1, row + n, T{0});
  }
  const T* last = room.between + (n - 1) * n;
  for (int64_t j = 0; j < n; ++j) room.out[j] = j < visible ? T{0} : Exp(last[j]);
  const T total = state ? Exp(since) : T{0};
  visible = 0;
  state = true;
  row = room.between;
  for (int64_t i = 0; i < n; ++i, row += n) {
    if (chunk.Starts(i)) {
      visible = i;
      state = false;
    }
    room.in[i] = state ? Exp(room.in[i]) : T{0};
    if (decays) {
#pragma omp simd
      for (int64_t j = visible; j <= i; ++j) row[j] = Exp(row[j]);
    } else {
      std::fill(row + visible, row + i + 1, T{1});
    }
  }
  MultiplyRow(n * n, room.gram, room.between, room.seen);
  ScaleRows(n, shape.d_k, room.in, room.q, room.q_in);
  ScaleRows(n, shape.d_k, room.out, room.k, room.k_out);
  std::fill_n(room.total, shape.d_k, total);
}

/// room.factor: e^g, 1 at padding, 0 where a sequence starts.
template <class T>
void KeyFactors(const MatrixStateShape& shape, const MatrixChunk& chunk,
                TokenColumns<const T> log_decay, int64_t head, T* factor) {
  const int64_t d_k = shape.d_k;
  for (int64_t i = 0; i < chunk.size; ++i, factor += d_k) {
    if (!chunk.Real(i) || chunk.Starts(i)) {
      std::fill_n(factor, d_k, chunk.Real(i) ? T{0} : T{1});
      continue;
    }
    const T* g = log_decay.At(chunk.first + i) + head * d_k;
#pragma omp simd
    for (int64_t d = 0; d < d_k; ++d) factor[d] = Exp(g[d]);
  }
}

/// The block of tokens [s, e) of a chunk: q_block and k_now decay what lies between two blocks.
/// since and until [size, d_k]; total decays from the chunk's start to the block's.
template <class T>
struct KeyBlock {
  int64_t s, e;

  int64_t size() const { return e - s; }
  /// since: from the block's start to each token. q_block and k_now.
  void Open(int64_t d_k, const ChunkRoom<T>& room) const {
    for (int64_t i = s; i < e; ++i) {
      T* since = room.since + i * d_k;
      const T* factor = room.factor + i * d_k;
      if (i == s) std::copy_n(factor, d_k, since);
      if (i > s) MultiplyRow(d_k, since - d_k, factor, since);
    }
    MultiplyRow(size() * d_k, room.q + s * d_k, room.since + s * d_k, room.q_block);
    MultiplyRow(s * d_k, room.k, room.until, room.k_now);
  }
  /// until: to the block's end.
  void Close(int64_t d_k, const ChunkRoom<T>& room) const {
    const T* whole = room.since + (e - 1) * d_k;
    for (int64_t j = 0; j < s; ++j) {
      MultiplyRow(d_k, room.until + j * d_k, whole, room.until + j * d_k);
    }
    std::fill_n(room.until + (e - 1) * d_k, d_k, T{1});
    for (int64_t j = e - 2; j >= s; --j) {
      MultiplyRow(d_k, room.until + (j + 1) * d_k, room.factor + (j + 1) * d_k,
                  room.until + j * d_k);
    }
    MultiplyRow(d_k, room.total, whole, room.total);
  }
};

/// What one factor a key channel makes of a chunk. Between blocks of 16 tokens decays are referred
/// to the later block's start and enter products; inside one they are multiplied up pair by pair.
template <class T>
void WeighByKey(const MatrixStateShape& shape, const MatrixChunk& chunk,
                TokenColumns<const T> log_decay, int64_t head, const ChunkRoom<T>& room) {
  const int64_t n = chunk.size, d_k = shape.d_k;
  KeyFactors(shape, chunk, log_decay, head, room.factor);
  std::fill_n(room.seen, n * n, T{0});
  std::fill_n(room.total, d_k, T{1});
  for (int64_t s = 0; s < n; s += kKeyBlock) {
    const KeyBlock<T> block{s, std::min(s + kKeyBlock, n)};
    block.Open(d_k, room);
    for (int64_t i = 0; i < block.size(); ++i) {
      MultiplyRow(d_k, room.q_block + i * d_k, room.total, room.q_in + (s + i) * d_k);
    }
    GemmTransposedB(block.size(), s, d_k, room.q_block, room.k_now, room.block, Write::kAssign);
    for (int64_t i = 0; i < block.size(); ++i) {
      std::copy_n(room.block + i * s, s, room.seen + (s + i) * n);
    }
    for (int64_t j = s; j < block.e; ++j) {
      std::copy_n(room.k + j * d_k, d_k, room.running);
      for (int64_t i = j; i < block.e; ++i) {
        if (i > j) MultiplyRow(d_k, room.running, room.factor + i * d_k, room.running);
        room.seen[i * n + j] = Dot(d_k, room.q + i * d_k, room.running);
      }
    }
    block.Close(d_k, room);
  }
  MultiplyRow(n * d_k, room.k, room.until, room.k_out);
}

/// q, k and, where decays allow it, Q K^T of a group.
template <class T>
void OpenGroup(const MatrixStateShape& shape, const MatrixChunk& chunk,
               const MatrixStateInputs<T>& in, int64_t group, const ChunkRoom<T>& room) {
  const int64_t n = chunk.size, d_k = shape.d_k, offset = group * d_k;
  GatherTokens(chunk, in.q, offset, d_k, d_k, static_cast<T>(shape.scale), room.q);
  GatherTokens(chunk, in.k, offset, d_k, d_k, T{1}, room.k);
  if (shape.decay == MatrixDecay::kKey) return;
  GemmTransposedB(n, n, d_k, room.q, room.k, room.gram, Write::kAssign);
}

/// v and what the decays make of q and k.
template <class T>
void OpenHead(const MatrixStateShape& shape, const MatrixChunk& chunk,
              const MatrixStateInputs<T>& in, int64_t head, const ChunkRoom<T>& room) {
  GatherTokens(chunk, in.v, head * shape.d_v, shape.d_v, shape.columns(), T{1}, room.v);
  if (shape.decay == MatrixDecay::kKey) {
    WeighByKey(shape, chunk, in.log_decay, head, room);
  } else {
    WeighByHead(shape, chunk, in.log_decay, head, room);
  }
}

}  // namespace ssm::kernels
