// What both walks of the delta rule compute of one chunk of one head.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ssm/kernels/delta_rule.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/gemm.h"
#include "ssm/kernels/pieces.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels::internal {

/// Tokens first .. first + n - 1 of one row and head.
struct DeltaPlace {
  int64_t row = 0, head = 0, first = 0, n = 0;
};

/// Room for a chunk of n tokens; names as in delta_rule.h. Rows of q carry the scale.
template <class T>
struct DeltaChunk {
  int64_t n = 0;
  bool reads = false;  // any token reads the state before
  T* qk;               // [2 n, d_key]: queries, then keys
  T *v, *u;            // [n, d_value]: V - gamma K S; U
  T* products;         // [2 n, n]: of q and k with k: D * Q K^T; D * K K^T below the diagonal
  T* inverse;          // [n, n]: (I + A)^-1
  T *gamma, *to_end;   // [n]: decay from the chunk's start, to its end
  T* decay;            // [n, n]: D, 0 above the diagonal
  T* exponents;        // [n + 1]
  T* reads_of_s;       // [2 n, d_value]
  T* scaled;           // [n, max(d_key, d_value)]

  static int64_t Size(const DeltaRuleShape& s) {
    const int64_t n = s.longest();
    return n * (2 * s.d_key + 4 * s.d_value + std::max(s.d_key, s.d_value) + 4 * n + 3) + 1;
  }
  DeltaChunk(const DeltaRuleShape& s, Pieces<T>& room) {
    const int64_t most = s.longest();
    qk = room.Take(2 * most * s.d_key);
    v = room.Take(most * s.d_value);
    u = room.Take(most * s.d_value);
    products = room.Take(2 * most * most);
    inverse = room.Take(most * most);
    gamma = room.Take(most);
    to_end = room.Take(most);
    decay = room.Take(most * most);
    exponents = room.Take(most + 1);
    reads_of_s = room.Take(2 * most * s.d_value);
    scaled = room.Take(most * std::max(s.d_key, s.d_value));
  }
  const T* q() const { return qk; }
  const T* k(const DeltaRuleShape& s) const { return qk + n * s.d_key; }
  T* kk() const { return products + n * n; }
};

/// y row i = a_i x row i.
template <class T>
void ScaleRows(int64_t n, int64_t width, const T* a, const T* x, T* y) {
  for (int64_t i = 0; i < n; ++i) {
    const T factor = a[i];
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) y[i * width + j] = factor * x[i * width + j];
  }
}

/// Rows of one head of q, k or v, which starts at `column`.
template <class T>
void GatherHead(const DeltaRuleShape& shape, const DeltaPlace& at, int64_t column, int64_t width,
                const T* qkv, T* to) {
  const T* from = qkv + (at.row * shape.steps + at.first) * shape.width() + column;
  for (int64_t i = 0; i < at.n; ++i) std::copy_n(from + i * shape.width(), width, to + i * width);
}

/// What stands for the sum of log decays across a start: its exponential is 0.
template <class T>
inline constexpr T kForgotten = static_cast<T>(-1e30);

/// D, gamma and the decay to the end. Exponents of row i are those of row i - 1 plus g_i. Of a
/// chunk whose first token is a start nobody reads gamma.
template <class T>
void Decays(const DeltaRuleShape& shape, const DeltaPlace& at, const T* log_decay,
            DeltaChunk<T>& chunk) {
  const int64_t n = at.n, token = at.row * shape.steps + at.first;
  T* sums = chunk.exponents;  // of gamma, then of each earlier token
  sums[0] = 0;
  bool whole = log_decay == nullptr;
  for (int64_t i = 0; i < n; ++i) {
    T* row = chunk.decay + i * n;
    if (i > 0 && shape.pos[token + i] == 0) {
      std::fill_n(sums, i + 1, kForgotten<T>);
      whole = false;
    } else if (log_decay != nullptr) {
      const T g = log_decay[(token + i) * shape.heads + at.head];
#pragma omp simd
      for (int64_t j = 0; j <= i; ++j) sums[j] += g;
    }
    sums[i + 1] = 0;
    if (whole) {
      chunk.gamma[i] = 1;
      std::fill_n(row, i + 1, T{1});
    } else {
      chunk.gamma[i] = Exp(sums[0]);
#pragma omp simd
      for (int64_t j = 0; j <= i; ++j) row[j] = Exp(sums[j + 1]);
    }
    std::fill_n(row + i + 1, n - i - 1, T{0});
  }
  std::copy_n(chunk.decay + (n - 1) * n, n, chunk.to_end);
}

/// inverse = (I + A)^-1 by forward substitution, A_ij = beta_i (D * K K^T)_ij. Its numbers stay
/// small where the rule is stable: each is what one write leaves of an earlier one.
template <class T>
void InvertChunk(int64_t n, const T* beta, int64_t stride, const T* kk, T* inverse) {
  for (int64_t i = 0; i < n; ++i) {
    T* row = inverse + i * n;
    std::fill_n(row, n, T{0});
    const T b = beta[i * stride];
    for (int64_t j = 0; j < i; ++j) Axpy(j + 1, -b * kk[i * n + j], inverse + j * n, row);
    row[i] = 1;
  }
}

/// Everything of a chunk up to U, given the state before it (null: zero).
template <class T>
void OpenChunk(const DeltaRuleShape& shape, const DeltaPlace& at, const T* qkv, const T* beta,
               const T* log_decay, const T* s, DeltaChunk<T>& chunk) {
  const int64_t n = at.n, dk = shape.d_key, dv = shape.d_value;
  const int64_t keys = shape.heads * dk;
  chunk.n = n;
  chunk.reads = s != nullptr;
  GatherHead(shape, at, at.head * dk, dk, qkv, chunk.qk);
  GatherHead(shape, at, keys + at.head * dk, dk, qkv, chunk.qk + n * dk);
  GatherHead(shape, at, 2 * keys + at.head * dv, dv, qkv, chunk.v);
  if (shape.scale != 1) {
    const T scale = static_cast<T>(shape.scale);
    for (int64_t i = 0; i < n * dk; ++i) chunk.qk[i] *= scale;
  }
  Decays(shape, at, log_decay, chunk);
  GemmTransposedB(2 * n, n, dk, chunk.qk, chunk.k(shape), chunk.products, Write::kAssign);
  for (int64_t i = 0; i < n * n; ++i) {
    chunk.products[i] *= chunk.decay[i];
    chunk.kk()[i] *= chunk.decay[i];
  }
  for (int64_t i = 0; i < n; ++i) chunk.kk()[i * n + i] = 0;
  const T* own_beta = beta + (at.row * shape.steps + at.first) * shape.heads + at.head;
  InvertChunk(n, own_beta, shape.heads, chunk.kk(), chunk.inverse);
  if (chunk.reads) {
    Gemm(2 * n, dv, dk, chunk.qk, s, chunk.reads_of_s, Write::kAssign);
    const T* of_k = chunk.reads_of_s + n * dv;
    for (int64_t i = 0; i < n; ++i) {
      Axpy(dv, -chunk.gamma[i], of_k + i * dv, chunk.v + i * dv);
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    const T b = own_beta[i * shape.heads];
#pragma omp simd
    for (int64_t j = 0; j < dv; ++j) chunk.scaled[i * dv + j] = b * chunk.v[i * dv + j];
  }
  Gemm(n, dv, n, chunk.inverse, chunk.scaled, chunk.u, Write::kAssign);
}

/// Tokens of a row that are not padding, which stands at its end.
inline int64_t RealTokens(const DeltaRuleShape& shape, int64_t row) {
  int64_t n = shape.steps;
  while (n > 0 && shape.pos[row * shape.steps + n - 1] < 0) --n;
  return n;
}

}  // namespace ssm::kernels::internal
