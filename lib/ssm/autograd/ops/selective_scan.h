// Mamba's recurrence: a diagonal system whose step, input and output each token chooses.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/kernels/selective_scan.h"

namespace ssm {

using kernels::Eigenvalues;
using kernels::WriteRule;

/// A = -exp(log_a_real) + i a_imag in each of E channels with M modes.
template <Scalar T>
struct SelectivePoles {
  Var<T> log_a_real;   // [E, M]
  Var<T> a_imag = {};  // [E, M]; none: real modes
  WriteRule rule = WriteRule::kEuler;
  Eigenvalues eigenvalues = Eigenvalues::kPositive;
};

/// What tokens write and read by: the columns from `b_first` and `c_first` on of `b` and `c` [B, T,
/// W], M of them or M pairs (re, im). `fixed`: both are [E, M(, 2)], the same for every token.
template <Scalar T>
struct SelectiveReads {
  Var<T> b, c;
  int64_t b_first = 0, c_first = 0;
  bool fixed = false;
};

template <Scalar T>
struct SelectiveOutputs {
  Var<T> y;     // [B, T, E]
  Var<T> last;  // [B, M(, 2), E]: the state after each row's last token
};

/// h_t = a_t h_{t-1} + w_t B_t u_t, y_t = s Re(C_t h_t) + skip u_t (Gu and Dao 2023): with z = dt_t
/// A, a = e^z (or 2 e^z - 1: Grazzi et al. 2024) and w = dt_t by Euler's rule, which is Mamba's, or
/// (e^z - 1) / A by zero-order hold; s = 2 for complex modes, whose conjugates y has too, else 1.
/// u and dt [B, T, E]; skip [E] or none; h0 shaped as `last`, or none where no row continues. At
/// clock.pos 0 the state before is zero; at -1 it passes and y is 0. Channels stand innermost in
/// the state, so that neighbours share a vector.
/// Saved: one state for every 32 tokens of a row; the backward recomputes the rest. FLOPs a token
/// and mode: about 24 by Euler's rule, 50 by zero-order hold and 80 complex; the backward three
/// times that.
template <Scalar T>
SelectiveOutputs<T> SelectiveScan(Tape<T>& tape, Var<T> u, Var<T> dt,
                                  const SelectivePoles<T>& poles, const SelectiveReads<T>& reads,
                                  Var<T> skip, Var<T> h0, const Clock& clock);

}  // namespace ssm
