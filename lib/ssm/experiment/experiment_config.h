// One JSON file is one experiment.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ssm/config/config_file.h"
#include "ssm/evaluation/eval_options.h"
#include "ssm/experiment/budget_options.h"
#include "ssm/models/sequence_model.h"
#include "ssm/tasks/task.h"
#include "ssm/training/train_options.h"

namespace ssm {

/// The scalar a model computes in.
enum class Precision { kFloat32, kFloat64 };
/// "float32", "float64".
const char* PrecisionName(Precision precision);

/// "seed": an object, or one integer that sets all three.
struct SeedOptions final : Configurable {
  int64_t init = 1;     // initial parameters
  int64_t data = 1;     // training sequences, their order, dropout
  int64_t eval = 1000;  // validation, test and probe sequences
  void VisitFields(FieldVisitor& visitor) override;
};

struct ExperimentConfig final : Configurable {
  /// The registries must outlive it.
  ExperimentConfig(const MixerRegistry& mixers, const TaskRegistry& tasks)
      : task(tasks), model(mixers) {}

  std::string name = "experiment";
  SeedOptions seed;
  Precision dtype = Precision::kFloat32;
  double rate_hz = 30;  // tokens a second in the world: turns lags into seconds
  bool has_budget = false;
  BudgetOptions budget;  // what model.d_model was solved from, where there is one
  OneOf<Task> task;
  ModelOptions model;
  TrainOptions train;
  EvalOptions eval;
  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;

  /// Before reading: a width that is not given stays open where there is a budget.
  void LeaveWidthOpen();

 private:
  int64_t usual_width_ = 0;  // while model.d_model is open
};

/// A config that was read, and a task whose files were opened.
struct Experiment {
  std::unique_ptr<ExperimentConfig> config;
  std::string directory;  // where relative paths of the config start
  std::vector<DroppedKey> dropped;
};

/// Reads `source` without opening what its task names: Task::Load comes before anything is asked of
/// it. Otherwise as ReadExperiment.
Experiment ReadUnloaded(const ConfigSource& source, const MixerRegistry& mixers,
                        const TaskRegistry& tasks, const std::string& directory = "");

/// Reads `source`, loads its task and what its layers name, and solves model.d_model from a budget:
/// the config then states both. `directory`: where relative paths start; empty: the folder of the
/// file. @throws what ReadConfig, Task::Load, ModelOptions::Load and SolveWidth throw, and
/// Error(kBadConfig) where model.d_model is given beside a budget that says another.
Experiment ReadExperiment(const ConfigSource& source, const MixerRegistry& mixers,
                          const TaskRegistry& tasks, const std::string& directory = "");

/// What a model must take in and give out for a task.
ModelIo IoOf(const TaskSpec& spec);

/// The model of an experiment, initialised from seed.init, or its layout alone.
template <Scalar T>
std::unique_ptr<SequenceModel<T>> MakeModel(const ExperimentConfig& config,
                                            InitialValues values = InitialValues::kDrawn);

}  // namespace ssm
