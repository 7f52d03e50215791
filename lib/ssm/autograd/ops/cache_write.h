// Tokens written into a cache: the next value of a ring or growing slot.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/autograd/ops/columns.h"

namespace ssm {

/// The columns of x [B, T, W] that a cache keeps.
using CacheColumns = Columns;

/// Which entries of a sequence the rows of an array [B, T, W] are: row b's sequence has after[b]
/// entries after them, the newest of which is row last[b] (-1: it brings none).
struct CacheTimes {
  Ints after, last;
  bool continues = false;  // no row starts over or ends early

  CacheTimes(Ints all, Ints newest, bool in_order)
      : after(all), last(newest), continues(in_order) {}
  CacheTimes(const Clock& clock)  // NOLINT: implicit
      : after(clock.after), last(clock.last), continues(clock.continues) {}
};

/// The newest `entries` tokens of each row's sequence after the pass, [B, entries, width]: that of
/// position p at entry p mod entries, dead entries 0. `cache` holds the tokens before the pass in
/// the same way, with any number of entries that was enough for them; none: there are none.
/// Saved: nothing. FLOPs 0.
template <Scalar T>
Var<T> RingWrite(Tape<T>& tape, Var<T> x, const CacheColumns& columns, Var<T> cache,
                 int64_t entries, const CacheTimes& times);

/// The first `entries` tokens of each row's sequence instead, that of position p at entry p.
template <Scalar T>
Var<T> FirstWrite(Tape<T>& tape, Var<T> x, const CacheColumns& columns, Var<T> cache,
                  int64_t entries, const CacheTimes& times);

/// All tokens, with room for every one: position p at entry p. Where the clock continues and
/// `cache`, appendable, has the room, tokens are written into its own memory and no entry is
/// copied; value and gradient are then those of `cache`.
template <Scalar T>
Var<T> CacheAppend(Tape<T>& tape, Var<T> x, const CacheColumns& columns, Var<T> cache,
                   const CacheTimes& times);

}  // namespace ssm
