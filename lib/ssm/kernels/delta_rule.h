// The delta rule: a linear memory that corrects what it holds under a key before it writes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ssm::kernels {

/// Tokens are rows of qkv [rows, steps, width()]: the queries of all heads, their keys, their
/// values.
struct DeltaRuleShape {
  int64_t rows = 0, steps = 0, heads = 0, d_key = 0, d_value = 0;
  int64_t chunk = 64;            // tokens whose inner work is one set of products
  double scale = 1;              // of the output
  const int64_t* pos = nullptr;  // [rows, steps]: 0 starts a sequence, -1 is padding at the end

  int64_t width() const { return heads * (2 * d_key + d_value); }
  int64_t values() const { return heads * d_value; }
  int64_t state() const { return d_key * d_value; }
  int64_t chunks() const { return (steps + chunk - 1) / chunk; }
  /// Tokens of the largest chunk.
  int64_t longest() const { return std::min(steps, chunk); }
};

/// FLOPs of the pass forward, and what of them is in matrix products: with C = chunk a token and
/// head takes 4 C d_key + 4 C d_value + 6 d_key d_value of products and about C^2 / 3 + 13 C (with
/// decays 33 C) more.
struct DeltaRuleFlops {
  double all = 0, products = 0;
};
DeltaRuleFlops CountDeltaRule(const DeltaRuleShape& shape, bool decays);

/// Elements of scratch that each walk needs.
template <class T>
int64_t DeltaRuleScratch(const DeltaRuleShape& shape);
template <class T>
int64_t DeltaRuleBackwardScratch(const DeltaRuleShape& shape);

/// In each head, with S [d_key, d_value] and the decay e^g (g <= 0; log_decay null: 1),
///   S = e^g S,  u = beta (v - S^T k),  S = S + k u^T,  y = scale S^T q
/// (Widrow and Hoff 1960; Schlag et al. 2021; gated Yang et al. 2025). The factor on S along k is
/// e^g (1 - beta |k|^2): stable if and only if 0 <= beta |k|^2 <= 2.
///
/// In chunks (Yang et al. 2024): with D_ij = e^(g_j+1 + ... + g_i), j <= i, and gamma_i = e^(g_1 +
/// ... + g_i), the rows of U solve (I + A) U = diag(beta) (V - diag(gamma) K S), A_ij = beta_i D_ij
/// k_i . k_j below the diagonal, so that Y = diag(gamma) Q S + (D * Q K^T) U and the state after
/// the chunk is gamma_C S + (diag(D_C) K)^T U. (I + A)^-1 is found by forward substitution, all
/// else is products. Exponents are sums of g, never differences: what is small stays exact beside
/// what has decayed.
///
/// beta and log_decay [rows, steps, heads]; S [rows, heads, d_key, d_value] is the state before,
/// and in place the one after. y [rows, steps, heads d_value] is 0 at padding. Where pos is 0 the
/// state before is zero, where it is -1 the state passes. `states` [rows, heads, chunks(), d_key,
/// d_value] receives the state before each chunk, for the walk back; null: nothing is kept.
template <class T>
void DeltaRule(const DeltaRuleShape& shape, const T* qkv, const T* beta, const T* log_decay, T* s,
               T* y, T* states, T* scratch);

/// Gradients that go out, added to; null: unwanted. `s` is that of the state before, not added but
/// turned in place: it comes in as the gradient of the state after.
template <class T>
struct DeltaRuleGradients {
  T *qkv = nullptr, *beta = nullptr, *log_decay = nullptr, *s = nullptr;
};

/// gy may be null (zero); gradients.s may not. Costs about twice the pass forward, and once more
/// that to compute the chunks again.
template <class T>
void DeltaRuleBackward(const DeltaRuleShape& shape, const T* qkv, const T* beta, const T* log_decay,
                       const T* states, const T* gy, const DeltaRuleGradients<T>& gradients,
                       T* scratch);

/// One token of one row at position `pos`, all heads: qkv [width()], beta and log_decay (may be
/// null) [heads], s [heads, d_key, d_value], y [heads d_value]; scratch d_value elements.
template <class T>
void DeltaRuleStep(const DeltaRuleShape& shape, int64_t pos, const T* qkv, const T* beta,
                   const T* log_decay, T* s, T* y, T* scratch);

}  // namespace ssm::kernels
