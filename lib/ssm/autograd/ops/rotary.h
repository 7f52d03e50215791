// Rotary positions.
#pragma once

#include "ssm/autograd/clock.h"

namespace ssm {

/// y [B, T, W] = x with the first `heads` groups of d_head columns turned by their token's position
/// in its own sequence: channel i of a group and channel i + d_head / 2 by pos base^(-2 i / d_head)
/// (Su et al. 2021; half-split pairs). d_head is even. Padding turns by 0.
/// Saved: d_head numbers a token, of one row when all rows stand at the same positions. FLOPs 3 a
/// turned column.
template <Scalar T>
Var<T> Rotary(Tape<T>& tape, Var<T> x, int64_t heads, int64_t d_head, double base,
              const Clock& clock);

}  // namespace ssm
