// What an attention sees in front of its window.
#pragma once

#include "ssm/autograd/clock.h"

namespace ssm {

/// A token sees entries 0 .. cached - 1 of the caches [B, entries, D], and after them the rows
/// [first, first + made) of `rows` [B, M, W], whose keys and values begin at two columns. Entry n
/// has the position of its last token, (n + 1) every - 1 of its sequence.
template <Scalar T>
struct FarKeys {
  int64_t every = 1;
  Ints cached, first, made;  // [B, T]
  Var<T> k_cache = {}, v_cache = {}, rows = {};
  int64_t k_column = 0, v_column = 0;

  explicit operator bool() const { return !cached.empty(); }
};

/// Of a sequence's first `sinks` tokens those that left the window. Rows are those of qkv [B, T,
/// 3 D]; caches hold the token of position p at entry p, or are none when the clock is fresh.
template <Scalar T>
FarKeys<T> SinkKeys(Tape<T>& tape, Var<T> qkv, Var<T> k_sinks, Var<T> v_sinks, int64_t sinks,
                    int64_t window, const Clock& clock);

/// Which groups of `every` tokens of a sequence, counted from its first, a pass completes: a group
/// is complete when the next token's window does not reach it any more.
struct CompletedGroups {
  int64_t every = 1, window = 1;
  int64_t most = 0;    // in any row
  Ints first;          // [B, most] step of a group's first token; negative: tokens before the pass
  Ints number;         // [B, most] of the group in its sequence
  Ints count;          // [B]
  Ints entries_after;  // [B] groups complete after the pass, of the sequence a row ends with
  Ints last;           // [B] count - 1

  /// Groups complete before the token at `position`: those it sees.
  int64_t Before(int64_t position) const {
    return position < window ? 0 : (position + 1 - window) / every;
  }
};

template <Scalar T>
CompletedGroups CompleteGroups(Tape<T>& tape, int64_t every, int64_t window, const Clock& clock);

/// One entry for each complete group: `rows` [B, most, 2 D] of those that the pass completes, keys
/// first; caches [B, entries, D] of those before, group n at entry n, or none.
template <Scalar T>
FarKeys<T> PooledKeys(Tape<T>& tape, Var<T> rows, Var<T> k_pooled, Var<T> v_pooled,
                      const CompletedGroups& groups, const Clock& clock);

}  // namespace ssm
