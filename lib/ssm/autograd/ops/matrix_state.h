// A matrix of key and value channels as state: linear attention and its relatives.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/kernels/matrix_state.h"

namespace ssm {

using kernels::MatrixDecay;

/// Columns [first, first + width) of an array [B, T, W]: a projection may hold several things side
/// by side.
template <Scalar T>
struct TapeColumns {
  Var<T> from;
  int64_t first = 0;
};

template <Scalar T>
struct MatrixStateArguments {
  MatrixDecay decay = MatrixDecay::kNone;
  int64_t heads = 1, groups = 1, d_k = 0, d_v = 0;
  int64_t chunk = 64;  // tokens in one matrix product
  bool ones = false;
  double scale = 1;
  TapeColumns<T> q, k, v;    // groups d_k, groups d_k and heads d_v columns
  TapeColumns<T> log_decay;  // heads or heads d_k columns, <= 0
  const T* fixed = nullptr;  // or: [heads], the same at every token; copied
  Var<T> before;             // [B, heads, d_k, columns] or none: zero
};

template <Scalar T>
struct MatrixStateOutputs {
  Var<T> y;     // [B, T, heads columns]
  Var<T> last;  // [B, heads, d_k, columns]: the state after each row's last token
};

/// S_t = diag(e^{g_t}) S_{t-1} + k_t v_t^T, y_t = scale S_t^T q_t in each head (Katharopoulos et
/// al. 2020; Sun et al. 2023; Yang et al. 2024; Dao and Gu 2024): see kernels/matrix_state.h. A
/// state has d_v columns, and with `ones` one more: the sum of keys. At clock.pos 0 the state
/// before is zero; at pos -1 it passes unchanged and y is 0. Saved: one state between every two
/// chunks; never one for each token. FLOPs of a token and head about 2 chunk (d_k + columns) + 4
/// d_k columns, most of them in matrix products, which the tape counts as such; the backward costs
/// about two and a half times that.
template <Scalar T>
MatrixStateOutputs<T> MatrixState(Tape<T>& tape, const MatrixStateArguments<T>& arguments,
                                  const Clock& clock);

}  // namespace ssm
