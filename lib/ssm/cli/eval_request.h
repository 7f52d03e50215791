// What an evaluation is asked for, judged before any work.
#pragma once

#include <string>
#include <vector>

#include "ssm/cli/commands.h"
#include "ssm/experiment/run_directory.h"

namespace ssm {

/// An evaluation may change what is asked, not what was trained. @throws Error(kUsage).
void RefuseOtherOverrides(const std::vector<std::string>& overrides);

/// Refuses outputs that could not be written after the work, and a file of samples in results/ that
/// would pass for a finished cell. @throws Error(kUsage), Error(kCannotCreate).
void RefuseOutputs(const EvalCommand& command, const RunDirectory& run);

/// What an evaluation changes of the task and the seed a run was trained with: "task.noise=2".
std::vector<std::string> OverridesOf(ExperimentConfig& trained, ExperimentConfig& evaluated);

/// Those of `overrides` that change the task, a blank between.
std::string TaskOverrides(const std::vector<std::string>& overrides);

}  // namespace ssm
