// A matrix for each head as state, with chunks of tokens as matrix products.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// What a head's state loses at a token: nothing, one factor, or one factor for each key channel.
enum class MatrixDecay { kNone, kHead, kKey };

/// S_t = diag(e^{g_t}) S_{t-1} + k_t v_t^T, y_t = scale S_t^T q_t in each of `heads` heads, g <= 0.
/// Queries and keys of d_k channels are shared by heads / groups heads; values have d_v. With
/// `ones` a value has one more channel, which is 1: that column of the state is the sum of keys. At
/// pos 0 the state before is zero; at pos -1 it passes unchanged and y is 0.
struct MatrixStateShape {
  MatrixDecay decay = MatrixDecay::kNone;
  int64_t rows = 0, steps = 0, heads = 1, groups = 1, d_k = 0, d_v = 0;
  int64_t chunk = 64;
  bool ones = false;
  double scale = 1;
  const int64_t* pos = nullptr;  // [rows, steps]

  int64_t columns() const { return d_v + (ones ? 1 : 0); }
  int64_t head_size() const { return d_k * columns(); }
  int64_t state_size() const { return heads * head_size(); }
  int64_t chunks() const { return (steps + chunk - 1) / chunk; }
  /// States kept for the backward pass: those between chunks.
  int64_t kept() const { return chunks() > 1 ? chunks() - 1 : 0; }
  /// Factors of decay a token has.
  int64_t decays() const { return decay == MatrixDecay::kKey ? heads * d_k : heads; }
};

/// Columns of an array [rows, steps, stride]: token t of row b at from + (b steps + t) stride.
template <class T>
struct TokenColumns {
  T* from = nullptr;
  int64_t stride = 0;

  T* At(int64_t token) const { return from + token * stride; }
};

/// q and k [groups d_k], v [heads d_v], log_decay [heads] or [heads d_k] a token; stride 0: the
/// same decay at every token. Null from: no decay.
template <class T>
struct MatrixStateInputs {
  TokenColumns<const T> q, k, v, log_decay;
};
/// Gradients to add to; null from: not wanted.
template <class T>
struct MatrixStateGradients {
  TokenColumns<T> q, k, v, log_decay;
  T* state = nullptr;  // [rows, heads, d_k, columns] of the state before
};

/// FLOPs of a forward pass: those in matrix products, and all.
struct MatrixStateFlops {
  double products = 0, total = 0;
};
MatrixStateFlops CountFlops(const MatrixStateShape& shape);

/// Numbers of scratch for a pass forward, and for one back.
int64_t MatrixStateScratch(const MatrixStateShape& shape);
int64_t MatrixStateBackwardScratch(const MatrixStateShape& shape);

/// state [rows, heads, d_k, columns] goes from before the first token to after the last; y [rows,
/// steps, heads columns]; kept [rows, kept(), state] may be null.
///
/// Inside a chunk y = (Q K^T o L) V + Q' S and S' = total S + K'^T V, with L the decays between
/// tokens, Q' and K' what is decayed from the chunk's start and to its end (Yang et al. 2024). No
/// decay is divided by: one factor a head enters by sums of logarithms over the stretch itself, one
/// factor a key channel by running products within stretches of 16 tokens, all at most 1.
template <class T>
void MatrixStateForward(const MatrixStateShape& shape, const MatrixStateInputs<T>& in, T* state,
                        T* y, T* kept, T* scratch);

/// What the backward pass reads: inputs, the state before (null: zero), states between chunks and
/// the cotangents of y and of the last state (null: zero).
template <class T>
struct MatrixStatePass {
  MatrixStateInputs<T> in;
  const T *before = nullptr, *kept = nullptr, *gy = nullptr, *glast = nullptr;
};
template <class T>
void MatrixStateBackward(const MatrixStateShape& shape, const MatrixStatePass<T>& pass,
                         const MatrixStateGradients<T>& gradients, T* scratch);

/// One token of one row: q and k [groups d_k], v [heads d_v], decay [heads] or [heads d_k] the
/// factors themselves (null: none), state as above, y [heads columns].
template <class T>
void MatrixStateStep(const MatrixStateShape& shape, const T* q, const T* k, const T* v,
                     const T* decay, bool start, T* state, T* y);

}  // namespace ssm::kernels
