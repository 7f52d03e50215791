#include "ssm/cli/inspect_system.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/analysis/geometric_grid.h"
#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/system_figures.h"
#include "ssm/cli/system_text.h"

namespace ssm {

bool IsSystemFile(const std::string& path) {
  // One that is too large for a system is told apart too, so that it is refused as what it is.
  constexpr int64_t kMost = 16 * kLargestSystemFile;
  return path != "-" && Exists(path) && !IsDirectory(path) && FileSize(path) <= kMost &&
         LooksLikeSystem(ReadFile(path, kMost));
}

std::string InspectSystem(const SystemInspection& asked) {
  const SystemFile file = ReadSystemFile(asked.path);
  if (file.discrete() && (asked.dt || asked.sweep)) {
    throw Error(ExitCode::kUsage,
                fmt::format("{}: {} is a discrete system, whose dt {} stands in its file; leave "
                            "it out",
                            asked.dt ? "--dt" : "--sweep", PathArgument(asked.path),
                            FormatNumber(file.dt)));
  }
  const SystemReport report = ReportOf(file, asked.dt.value_or(0));
  std::vector<StepSweepRow> sweep;
  if (asked.sweep) {
    const SweepRange range =
        asked.sweep->count > 0 ? *asked.sweep : SweepRange{report.dt / 16, 128 * report.dt, 12};
    if (!(range.low > 0 && std::isfinite(range.high))) {
      throw Error(
          ExitCode::kUsage,
          fmt::format("--sweep: found dt, a sixteenth to 128 times dt = {}, which is beyond "
                      "double; allowed: a range of your own, as in dt=0.01:1:9",
                      FormatNumber(report.dt)));
    }
    sweep = SweepSteps(std::get<ContinuousSystem>(file.system),
                       GeometricGrid(range.low, range.high, range.count));
  }
  if (!asked.plot.empty()) WriteFigures(asked.plot, FiguresOf(file, report));
  const std::string name = BaseName(asked.path);
  return asked.json
             ? SystemReportJson(file, name, report, sweep)
             : SystemReportText(file, name, report, asked.color) + SweepText(sweep, asked.color);
}

}  // namespace ssm
