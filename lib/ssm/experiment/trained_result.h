// A published result that takes training: arms under several seeds, and numbers of their cells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/analysis/published_result.h"
#include "ssm/experiment/experiment_config.h"
#include "ssm/experiment/result_row.h"
#include "ssm/experiment/run_experiment.h"

namespace ssm {

/// "result.arms.NAME": an experiment, and what this arm changes of it.
struct ResultArm final : Configurable {
  std::string config;
  std::vector<std::string> overrides;
  void VisitFields(FieldVisitor& visitor) override;
};

/// "result.readings.NAME": one number of one cell of an evaluation.
struct ResultReading final : Configurable {
  std::vector<std::string> overrides;  // of eval.*, task.* and seed.eval
  std::string metric;                  // empty: the task's own
  std::string axis, label;             // a stratum, "lag" or "step"; empty: the whole cell
  void VisitFields(FieldVisitor& visitor) override;
};

/// How the numbers of several seeds meet a bound. kEvery: each of them. kBest: ">=" is asked of one
/// seed of the arm, the one that meets most of its rows, "<=" of each.
enum class SeedRule { kEvery, kBest };

/// One run of an arm.
struct ResultRun {
  std::string arm;
  int64_t seed = 0;
  ConfigSource source;
  std::string folder;  // OUT/ARM-seedS-HASH
};

/// Trains every arm under every seed (seed.init and seed.data; seed.eval stays, so all are scored
/// on the same sequences) and compares readings with bounds. Runs go into folders named by the hash
/// of their config: what is finished is neither trained nor scored again, what was cut off goes on
/// to the same bits, and an arm that changes gets another folder.
class TrainedResult final : public ResultComputation {
 public:
  /// Both must outlive it.
  TrainedResult(const MixerRegistry& mixers, const TaskRegistry& tasks)
      : mixers_(&mixers), tasks_(&tasks) {}

  MapOf<ResultArm> arms;
  MapOf<ResultReading> readings;
  std::vector<std::string> rows;
  std::vector<int64_t> seeds = {1, 2, 3};
  SeedRule judge = SeedRule::kEvery;
  std::vector<std::string> overrides;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;

  /// Every run, seed by seed. All that configs, overrides and readings could be refused for is, and
  /// nothing is written. @throws Error(kBadConfig), Error(kMissingInput), Error(kUsage).
  std::vector<ResultRun> Plan(const ResultSetting& setting) const;

  /// @throws also as TrainExperiment and EvaluateRun; Error(kStopped) where a signal stopped a
  /// training, which is saved.
  std::vector<GateRow> Run(const ResultSetting& setting) const override;

 private:
  TrainOutcome Train(const ResultRun& run, const ResultSetting& setting) const;

  const MixerRegistry* mixers_;
  const TaskRegistry* tasks_;
};

/// The computations that train.
void RegisterTrainedResults(ResultRegistry& registry, const MixerRegistry& mixers,
                            const TaskRegistry& tasks);

}  // namespace ssm
