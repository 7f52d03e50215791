// Trained runs sorted into arms: what differs only in its seeds is one arm.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/evaluation/results_file.h"
#include "ssm/experiment/experiment_config.h"

namespace ssm {

/// One run: a unit of replication.
struct ArmUnit {
  std::string run;                   // its folder
  int64_t init = 0, data = 0;        // seed.init, seed.data
  int64_t steps = 0;                 // trained
  std::vector<ResultsFile> results;  // its finished cells, each once
};

/// Runs of one experiment under several seeds.
struct Arm {
  std::string name;       // what the names of its runs have in common; told apart from other arms'
  std::string group;      // the folder of runs it stands in; empty where runs were named singly
  std::string hash;       // ConfigHash with all seeds at 0
  std::string model;      // ModelName
  std::string mixers;     // their types, each once: "s4d"
  Experiment experiment;  // of its first run; nothing the task names is opened
  int64_t params = 0;     // numbers trained
  double flops = 0;       // of one training, mean over runs; NaN: see no_flops
  std::string no_flops;   // why they are not known
  int64_t step_sequences = 0;  // of one optimiser step
  std::vector<ArmUnit> units;  // by data seed, then init seed

  /// Optimiser steps of every run; -1 where runs differ.
  int64_t Steps() const;
};

/// The runs of `groups`, each a run or a folder whose folders are runs (as scripts/sweep.sh makes
/// them), in the order met; a run met twice counts once. Where a run was evaluated at several
/// checkpoints, its best one counts. FLOPs are counted in plan mode.
/// @throws Error(kMissingInput) for what is no run, is not evaluated or not finished, naming all of
/// the latter; Error(kUsage) where two runs are one experiment under the same seeds, where steps
/// cannot be chosen, where arms have different tasks or there are fewer than two; as ReadRunConfig
/// and ReadResults.
std::vector<Arm> ReadArms(const std::vector<std::string>& groups, const MixerRegistry& mixers,
                          const TaskRegistry& tasks);

/// Whether two results answer the same question: cell, overrides and recording.
bool SameCell(const ResultsFile& a, const ResultsFile& b);

/// "test, forward, T 512, n 4096, dt x2, task.noise=2".
std::string CellText(const ResultsFile& results);

}  // namespace ssm
