// How losses weigh their elements.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// The total weight a loss of y [B, T, O] is divided by, once, by whoever trains: known before the
/// forward pass, so shards and chunks cannot change it. `elements`: loss terms that share one
/// weight (O for weights [B, T] of squared error and binary cross-entropy; 1 for weights [B, T, O]
/// and for softmax cross-entropy).
template <class T>
double TotalWeight(std::span<const T> weights, int64_t elements);

/// O for weights [B, T], 1 for weights [B, T, O]. @throws Error(kInternal) for any other shape.
int64_t ElementsPerWeight(const Shape& y, const Shape& weights);

}  // namespace ssm
