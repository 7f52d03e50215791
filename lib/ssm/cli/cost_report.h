// What models cost as their sequences grow, side by side.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ssm/analysis/state_cost.h"
#include "ssm/cli/figure_files.h"
#include "ssm/experiment/experiment_config.h"

namespace ssm {

/// What costs: a run or config by the path a person gave.
struct CostSubject {
  std::string path;
  ExperimentConfig* config = nullptr;
};

struct CostColumn {
  std::string run;    // its path
  std::string label;  // its name; where two have one name, the path from where paths differ
  std::string name, model, dtype;
  std::string differs;  // "cache.type int8": what the model has otherwise than another here has
  std::vector<StateCostPoint> points;  // at the same steps in every column
};

/// Of the models that configs and runs describe, up to `tokens` tokens; draws and reads no values.
std::vector<CostColumn> CostOf(std::span<const CostSubject> subjects, int64_t tokens);

/// A table of bytes and one of FLOPs, a row for each number of tokens; the bytes as float32 too
/// where those are others.
std::string CostText(std::span<const CostColumn> columns, bool color);
/// Schema "ssmctl.cost/1".
std::string CostJson(std::span<const CostColumn> columns);
/// state_bytes and token_flops, both axes logarithmic.
NamedFigures CostFigures(std::span<const CostColumn> columns);

}  // namespace ssm
