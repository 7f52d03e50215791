// The values of a run in double, whatever it trains in.
#pragma once

#include <string>

#include "ssm/experiment/experiment_config.h"

namespace ssm {

/// Reads a checkpoint of `run` into `values`, parameters of a model of this config; its step.
/// @throws as ReadValues.
int64_t ReadInDouble(const ExperimentConfig& config, const std::string& run,
                     const std::string& checkpoint, Parameters<double>& values);

}  // namespace ssm
