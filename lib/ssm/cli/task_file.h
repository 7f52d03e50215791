// A task from a file of its own, or from the experiment it stands in.
#pragma once

#include <memory>
#include <string>

#include "ssm/config/config_file.h"
#include "ssm/experiment/experiment_config.h"

namespace ssm {

/// {"type": "evidence.track", ...} or an experiment (recognised by its key "task").
class TaskFile {
 public:
  /// Reads and loads. Throws as ReadConfig and Task::Load.
  TaskFile(const ConfigSource& source, const MixerRegistry& mixers, const TaskRegistry& tasks);

  const Task& task() const { return *task_; }
  const std::string& type() const { return type_; }

  int64_t seed = 1000;  // seed.eval of the experiment

 private:
  std::unique_ptr<Task> own_;
  Experiment experiment_;
  const Task* task_ = nullptr;
  std::string type_;
};

}  // namespace ssm
