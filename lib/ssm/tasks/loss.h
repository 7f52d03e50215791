// A task's objective on the tape.
#pragma once

#include "ssm/autograd/tape.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// The weighted sum [1] of the task's objective over rows [first_row, first_row + B) of the piece,
/// y [B, T, O] being the model's answer for them. Divide it once by TotalWeight of the whole batch.
/// Targets and weights are copied onto the tape. In kPlan the piece may be that of ShapePiece.
template <Scalar T>
Var<T> TaskLoss(Tape<T>& tape, Var<T> y, const TaskSpec& spec, const TaskPiece& piece,
                int64_t first_row);

}  // namespace ssm
