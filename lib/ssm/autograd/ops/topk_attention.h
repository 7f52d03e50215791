// Attention over the newest tokens and those before them that were attended to most.
#pragma once

#include "ssm/autograd/ops/attention.h"

namespace ssm {

/// What a row holds, in the order of a mixer's slots: k and v [B, window - 1, D] of the newest
/// tokens, that of position p at entry p mod (window - 1), and mass [B, window - 1, 1], the
/// attention each has drawn so far, summed over heads and queries; the same of the tokens kept [B,
/// kept, ...], in the order they came in, and their positions [B, kept, 1]. Masses and positions
/// take no gradient.
template <Scalar T>
struct TopkState {
  Var<T> k, v, mass, kept_k, kept_v, kept_mass, kept_position;
};

template <Scalar T>
struct TopkOutputs {
  Var<T> y;  // [B, T, D]
  TopkState<T> next;
};

/// As Attention, over the newest `view.window` tokens and up to `kept` before them. A token that
/// leaves the window takes a free entry, or the entry of the kept token that has drawn least
/// attention (the first of equals) if it has drawn more itself. These choices are recorded by
/// Tape::StopChoices. `before` is none when the clock is fresh.
/// Saved: 2 numbers a token and head, kept + 1 integers a token. FLOPs 4 D + heads for each token
/// and key it sees; tokens go one after the other.
template <Scalar T>
TopkOutputs<T> TopkAttention(Tape<T>& tape, Var<T> qkv, const TopkState<T>& before, int64_t kept,
                             const AttentionView<T>& view, const Clock& clock);

}  // namespace ssm
