// What an evaluation is to write, judged before any work.
#pragma once

#include "ssm/cli/commands.h"
#include "ssm/experiment/run_directory.h"

namespace ssm {

/// Refuses outputs that could not be written after the work, and a file of samples in results/ that
/// would pass for a finished cell. @throws Error(kUsage), Error(kCannotCreate).
void RefuseOutputs(const EvalCommand& command, const RunDirectory& run);

}  // namespace ssm
