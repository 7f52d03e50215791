// What a state's read-outs say, for people and programs.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "ssm/analysis/state_probe.h"

namespace ssm {

/// A probe of one cell.
using ProbedCell = std::pair<CellKey, StateProbe>;

/// A table for each cell: latent by latent, octave by octave, read from the state and answered.
std::string DescribeProbes(std::span<const ProbedCell> cells, bool color);
/// The cells as a JSON array; null where there is no number.
std::string ProbesJson(std::span<const ProbedCell> cells);

}  // namespace ssm
