// What an inspection of layers can show as figures.
#pragma once

#include "ssm/cli/figure_files.h"
#include "ssm/cli/layer_inspection.h"

namespace ssm {

/// "layer0-multipliers", "layer0-half_lives" and "layer0-kernel" of every layer that has them,
/// before and after.
NamedFigures FiguresOf(const Inspection& inspection);

/// The scores by lag in a run's finished evaluations, named as their files; none without.
NamedFigures RetentionFigures(const std::string& results_folder);

}  // namespace ssm
