// The loss of single sequences, in double, from predictions.
#pragma once

#include <span>

#include "ssm/tasks/task.h"

namespace ssm {

/// Adds to sum[b] and weight[b] what row b of a piece loses under the task's objective: the terms
/// the trainer minimises, sum of w * loss and sum of w. `y` [B, T, O]. Unscored outputs are not
/// read.
void AddObjectiveLoss(const TaskSpec& spec, const TaskPiece& piece, const double* y,
                      std::span<double> sum, std::span<double> weight);

}  // namespace ssm
