// Features of queries and keys, and what is divided by the sum of their products.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/kernels/feature_map.h"

namespace ssm {

using kernels::FeatureMap;

/// y [B, T, heads FeatureCount(map, d)] of the first `heads` groups of d columns of x [B, T, W]:
/// see kernels/feature_map.h. Saved: nothing. FLOPs about 2 a feature (21 with an exponential), the
/// backward twice that.
template <Scalar T>
Var<T> MapFeatures(Tape<T>& tape, FeatureMap map, Var<T> x, int64_t heads, int64_t d);

/// What exponentials of queries and keys are referred to, so that none overflows: m, the largest
/// key of each channel so far, its losses and the queries' anchors (kernels::ExpAnchors). All are
/// stopped: they move nothing that is read as a ratio. q and k are the first and second `heads`
/// groups of d columns of qk.
template <Scalar T>
struct ExpAnchorOutputs {
  Var<T> m;       // [B, T, heads d]
  Var<T> loss;    // [B, T, heads d]: m before less m, the logarithm of a decay
  Var<T> anchor;  // [B, T, heads]
  Var<T> last;    // [B, heads d]: m after each row's last token
};
/// `before` [B, heads d] or none. At clock.pos 0 nothing was before; padding changes nothing.
template <Scalar T>
ExpAnchorOutputs<T> ExpAnchors(Tape<T>& tape, Var<T> qk, int64_t heads, int64_t d, Var<T> before,
                               const Clock& clock);

/// [B, T, 2 heads d]: exp(q + m - anchor), then exp(k - m). No gradient flows into m and anchor.
/// Saved: nothing. FLOPs 22 an element, the backward 2.
template <Scalar T>
Var<T> ExpFeatures(Tape<T>& tape, Var<T> qk, int64_t heads, int64_t d, Var<T> m, Var<T> anchor);

/// y [B, T, heads d] = sums / (weight + eps) of read [B, T, heads (d + 1)], a head's weight being
/// its last column; 0 where the weight is eps or less: nothing was found. The tape counts "reads",
/// one a token and head without padding, and of these "nothing_read". Saved: nothing. FLOPs 2 an
/// element, the backward 4.
template <Scalar T>
Var<T> NormalisedRead(Tape<T>& tape, Var<T> read, int64_t heads, double eps, const Clock& clock);

}  // namespace ssm
