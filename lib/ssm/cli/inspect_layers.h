// The inspection of a run's or a config's layers.
#pragma once

#include <optional>
#include <string>

#include "ssm/cli/layer_inspection.h"
#include "ssm/cli/sweep_range.h"
#include "ssm/experiment/experiment_config.h"

namespace ssm {

struct LayersAsked {
  std::string run, checkpoint;  // of a config: empty
  double dt_scale = 1;
  std::optional<SweepRange> sweep;  // default: octaves from dt_scale / 8 to 8 dt_scale
};

/// Every layer as the model starts and, of a run, at the checkpoint.
/// @throws as ReadValues.
Inspection InspectLayers(const ExperimentConfig& config, const LayersAsked& asked);

}  // namespace ssm
