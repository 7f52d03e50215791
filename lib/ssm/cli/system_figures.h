// What a system's report can show as figures.
#pragma once

#include "ssm/analysis/system_report.h"
#include "ssm/cli/figure_files.h"

namespace ssm {

/// "poles" (of a continuous system), "multipliers" beside the unit circle, "half_lives", "growth"
/// and, of a stable system, "kernel".
NamedFigures FiguresOf(const SystemFile& file, const SystemReport& report);

}  // namespace ssm
