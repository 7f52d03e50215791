// Complete groups of tokens pooled, keys and values each into one.
#pragma once

#include "ssm/autograd/ops/far_keys.h"

namespace ssm {

/// y [B, most, 2 D]: for each group that the pass completes sum_j w_j R_j k_j and sum_j w_j v_j
/// over its tokens j = 0 .. every - 1, in each head. R_j turns a key, turned already (Rotary with
/// `base`; 0: keys are not), on to the position of the group's last token. w = 1 / every, or taps
/// [2, heads, every] (keys first): a convolution of stride `every` whose kernel the channels of a
/// head share, so that it does not depend on how keys are turned. qkv [B, T, 3 D] holds the pass's
/// tokens, k_cache and v_cache [B, entries, D] those before it, that of position p at entry p mod
/// entries, or none when no group began before. Rows beyond a row's groups are 0. Saved: nothing.
/// FLOPs 4 D a token of a group, 8 D with turned keys.
template <Scalar T>
Var<T> PoolTokens(Tape<T>& tape, Var<T> qkv, Var<T> k_cache, Var<T> v_cache, Var<T> taps,
                  int64_t heads, double base, const CompletedGroups& groups, const Clock& clock);

}  // namespace ssm
