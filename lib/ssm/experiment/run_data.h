// The files a run was trained on: found again, and still the same.
#pragma once

#include <string>

#include "ssm/experiment/run_directory.h"

namespace ssm {

/// The field of a task that names what it reads, as the config has it.
struct DataField {
  std::string key;   // "task.file"; empty for tasks that read nothing
  std::string word;  // "recording"
  std::string file;
};
DataField DataFieldOf(ExperimentConfig& config);

/// Loads the task of `run`'s own config. @throws as Task::Load, a missing file with what it is and
/// how to name its new place; as RequireSameData.
void LoadRunData(const RunDirectory& run, const Experiment& experiment);

/// @throws Error(kBadData) when the loaded task read other bytes than the run's manifest tells of.
/// A manifest without a digest, or none, lets everything pass.
void RequireSameData(const RunDirectory& run, const Experiment& experiment);

/// Loads the files that layers of `run`'s config name. @throws as MixerOptions::Load, a missing
/// file with what it is; as RequireSameModelFiles.
void LoadRunModel(const RunDirectory& run, const Experiment& experiment);

/// As RequireSameData, of the files that layers have read.
void RequireSameModelFiles(const RunDirectory& run, const Experiment& experiment);

}  // namespace ssm
