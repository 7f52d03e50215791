// Which checkpoint of a run a command reads.
#pragma once

#include <string>

#include "ssm/experiment/run_directory.h"

namespace ssm {

/// The folder of "best", "latest" or a step. @throws Error(kUsage) for other words,
/// Error(kMissingInput) where there is no such checkpoint.
std::string ChosenCheckpoint(const RunDirectory& run, const std::string& choice);

}  // namespace ssm
