#include "ssm/cli/figure_files.h"

#include <fmt/format.h>

#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/plot/svg.h"

namespace ssm {

void WriteFigures(const std::string& folder, const NamedFigures& figures) {
  MakeDirectories(folder);
  for (const auto& [name, figure] : figures) {
    if (figure.series.empty()) continue;
    const std::string path = JoinPath(folder, name + ".svg");
    AtomicWriteFile(path, RenderSvg(figure));
    LogInfo(fmt::format("{} is written", path));
  }
}

}  // namespace ssm
