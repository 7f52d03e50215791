// What a run leaves when it ends, however it ends.
#pragma once

#include "ssm/experiment/training_run.h"

namespace ssm {

/// Trains (RunTraining), then writes status.json and says on stderr how to go on where a person who
/// interrupted it would else learn nothing. Divergence is an outcome, other errors are thrown on.
TrainOutcome TrainToAnEnd(const TrainingSetting& setting);

/// The command that continues a run, for a shell.
std::string ResumeCommand(const std::string& run);

}  // namespace ssm
