// An evaluation as people read it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ssm/evaluation/cell_result.h"
#include "ssm/plot/series.h"
#include "ssm/plot/terminal.h"

namespace ssm {

/// A table of all cells, then for each cell what it holds beyond one number: lags, strata, curves.
std::string DescribeCells(std::span<const CellResult> cells, const TerminalStyle& style,
                          bool color);

/// What one cell can show as figures: its curves, and the metric by lag where there are lags.
std::vector<Figure> FiguresOf(const CellResult& cell);

}  // namespace ssm
