// What can be known to fail before a run has a folder.
#pragma once

#include "ssm/experiment/experiment_config.h"

namespace ssm {

/// @throws what the first step of a fresh run would for its config: Error(kBadConfig) for an empty
/// training split or parameter groups the model has not, Error(kMissingInput) and Error(kBadData)
/// for a train.init_from that is not there or does not fit. Makes no model but its layout.
void RequireTrainable(const ExperimentConfig& config);

}  // namespace ssm
