// What a model's state does when nothing happens, and when it is pushed.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/models/sequence_model.h"
#include "ssm/tasks/batch.h"

namespace ssm {

/// A number at a step, counted from 1.
struct StepValue {
  int64_t step = 0;
  double value = 0;
};

/// |h| over all slots that carry gradients, after 1, 2, 4, ... and `steps` tokens of nothing: reals
/// 0, ids 0, dt 1. Stops where it is no longer finite. A cache that grows stops the walk at 2^14
/// tokens. Cost: `steps` tokens of one stream.
std::vector<StepValue> IdleNorms(const SequenceModel<double>& model, ParamView<double> params,
                                 double dt_scale, int64_t steps);

/// Distance of two streams that read the same inputs, over what it was when one of their states was
/// moved by 1e-6 of its norm: root mean square over the rows of `piece` at 1, 2, 4, ... tokens
/// after token `from`. Rings and caches are moved too.
std::vector<StepValue> Divergence(const SequenceModel<double>& model, ParamView<double> params,
                                  double dt_scale, const TaskPiece& piece, int64_t from);

}  // namespace ssm
