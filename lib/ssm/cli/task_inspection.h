// What a model does with its state on its task's data, as people and programs read it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ssm/analysis/drift.h"
#include "ssm/analysis/expansion.h"
#include "ssm/analysis/influence.h"
#include "ssm/analysis/selection.h"
#include "ssm/experiment/experiment_config.h"

namespace ssm {

struct OnTaskAsked {
  std::string run, checkpoint;  // of a config: empty
  double dt_scale = 1;
  int64_t idle_steps = 1000000;
};

/// One layer; of a recurrence that is neither, neither.
struct LayerOnTask {
  std::string mixer;
  std::optional<Selection> selection;
  std::optional<Expansion> expansion;  // where there is no selection
};

/// Computed in double whatever a run trains in.
struct TaskInspection {
  std::string name, model;
  int64_t step = -1;  // -1: of a config
  int64_t sequences = 0, steps = 0;
  std::vector<LayerOnTask> layers;
  Influence influence;
  std::vector<StepValue> idle, divergence;
};

/// @throws as ReadValues and ResolveCell.
TaskInspection InspectOnTask(const ExperimentConfig& config, const OnTaskAsked& asked);

std::string TaskInspectionText(const TaskInspection& inspection, bool color);
/// Schema "ssmctl.inspect.on_task/1"; null where a number is not finite.
std::string TaskInspectionJson(const TaskInspection& inspection);

}  // namespace ssm
