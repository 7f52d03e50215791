// Tokens written into a cache: the next value of a ring or growing slot.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/columns.h"

namespace ssm {

/// The columns of x [B, T, W] that a cache keeps.
using CacheColumns = Columns;

/// The newest `entries` tokens of each row's sequence after the pass, [B, entries, width]: that of
/// position p at entry p mod entries, dead entries 0. `cache` holds the tokens before the pass in
/// the same way, with any number of entries that was enough for them; none: there are none.
/// Saved: nothing. FLOPs 0.
template <Scalar T>
Var<T> RingWrite(Tape<T>& tape, Var<T> x, const CacheColumns& columns, Var<T> cache,
                 int64_t entries, const Clock& clock);

/// The same with room for every token: position p at entry p. Where the clock continues and
/// `cache`, appendable, has the room, tokens are written into its own memory and no entry is
/// copied; value and gradient are then those of `cache`.
template <Scalar T>
Var<T> CacheAppend(Tape<T>& tape, Var<T> x, const CacheColumns& columns, Var<T> cache,
                   const Clock& clock);

}  // namespace ssm
