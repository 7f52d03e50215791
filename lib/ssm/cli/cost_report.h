// What models cost as their sequences grow, side by side.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ssm/analysis/state_cost.h"
#include "ssm/cli/figure_files.h"
#include "ssm/experiment/experiment_config.h"

namespace ssm {

struct CostColumn {
  std::string name, model, dtype;
  std::vector<StateCostPoint> points;  // at the same steps in every column
};

/// Of the model a config or run describes, up to `tokens` tokens; draws and reads no values.
CostColumn CostOf(const ExperimentConfig& config, int64_t tokens);

/// A table of bytes and one of FLOPs, a row for each number of tokens; the bytes as float32 too
/// where those are others.
std::string CostText(std::span<const CostColumn> columns, bool color);
/// Schema "ssmctl.cost/1".
std::string CostJson(std::span<const CostColumn> columns);
/// state_bytes and token_flops, both axes logarithmic.
NamedFigures CostFigures(std::span<const CostColumn> columns);

}  // namespace ssm
