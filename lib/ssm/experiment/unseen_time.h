// Models that are given the time between tokens and do not look.
#pragma once

#include "ssm/experiment/experiment_config.h"

namespace ssm {

/// One warning where the task gives the time between tokens, or `dt_scale` stretches it, and a
/// mixer reads tokens as evenly spaced (MixerProperties::per_step_dt).
void WarnOfUnseenTime(const ExperimentConfig& config, double dt_scale = 1);

}  // namespace ssm
