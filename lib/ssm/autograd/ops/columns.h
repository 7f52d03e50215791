// Part of a last axis.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// Columns first .. first + width - 1 of x [..., W].
struct Columns {
  int64_t first = 0, width = 0;
};

/// y [..., width]: those columns, copied. Saved: nothing. FLOPs 0, the backward one an element.
template <Scalar T>
Var<T> TakeColumns(Tape<T>& tape, Var<T> x, const Columns& columns);

}  // namespace ssm
