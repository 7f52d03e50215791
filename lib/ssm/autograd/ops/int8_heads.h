// Heads rounded to codes of a byte, and read from them again.
#pragma once

#include "ssm/autograd/ops/columns.h"

namespace ssm {

template <Scalar T>
struct RoundedHeads {
  Var<T> codes;   // [..., columns.width]: whole numbers of -127 to 127
  Var<T> scales;  // [..., heads], stopped
  Var<T> y;       // x with those columns replaced by codes * scales
};

/// Those columns of x [..., W] are heads of d_head columns. In each, s = max |x| / 127 (1 for a
/// head of zeros) and code = round(x / s), ties to even.
///
/// Gradients pass straight through the rounding: s and r = round(x / s) - x / s are stopped, and
/// code = x / s + r, y = code s are differentiated as they stand: dx = d code / s + dy.
/// Saved: codes and scales. FLOPs 6 a column, the backward 3.
template <Scalar T>
RoundedHeads<T> RoundHeads(Tape<T>& tape, Var<T> x, const Columns& columns, int64_t d_head);

/// y [..., W] = codes [..., W] times the scale of their head, scales [..., heads]; these take no
/// gradient. Saved: nothing. FLOPs 1 a column, the backward 2.
template <Scalar T>
Var<T> ScaleHeads(Tape<T>& tape, Var<T> codes, Var<T> scales);

}  // namespace ssm
