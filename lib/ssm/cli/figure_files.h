// Figures as files in a folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ssm/plot/series.h"

namespace ssm {

/// Names without their ending, and what they show.
using NamedFigures = std::vector<std::pair<std::string, Figure>>;

/// Writes NAME.svg for each figure that has a series, making the folder, and says so in the log.
/// @throws as MakeDirectories and AtomicWriteFile.
void WriteFigures(const std::string& folder, const NamedFigures& figures);

}  // namespace ssm
