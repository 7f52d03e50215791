// An affine map of the last axis.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// kTiles: the fastest, its bits depend on how many rows there are. kByRow: a row has the bits it
/// has alone, for layers whose output is rounded to a grid.
enum class LinearRows { kTiles, kByRow };

/// y [..., out] = x [..., in] W^T + b, W [out, in], b [out] or none.
/// Saved: nothing. FLOPs 2 rows in out (+ rows out); the backward costs twice that.
template <Scalar T>
Var<T> Linear(Tape<T>& tape, Var<T> x, Var<T> weight, Var<T> bias = {},
              LinearRows by = LinearRows::kTiles);

}  // namespace ssm
