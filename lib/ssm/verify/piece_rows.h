// Task pieces taken apart into rows of plain numbers, for comparison.
#pragma once

#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// Everything a piece says of each row's real steps, in order of time: inputs, targets, weights,
/// references, strata, lags, latents.
using PieceRows = std::vector<std::vector<double>>;

/// Appends a piece to `rows`, which has one entry per row of the piece.
void AppendRows(const TaskPiece& piece, PieceRows& rows);

}  // namespace ssm
