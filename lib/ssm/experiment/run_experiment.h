// From a config to a trained run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/experiment/experiment_config.h"
#include "ssm/experiment/plan.h"

namespace ssm {

/// `ssmctl train`, its flags read.
struct TrainRequest {
  ConfigSource source;        // no file: the config of the run `out` itself (with `resume`)
  std::string root = "runs";  // where a run without `out` is made
  std::string out;            // the run directory, exactly; empty: a fresh one under `root`
  bool resume = false;        // continue `out`; starts at 0 when it holds no valid checkpoint
  int threads = 0;            // 0: DefaultThreads()
  double max_minutes = 0;     // save and stop after that long; 0: never
  int64_t max_memory = 0;     // refuse to start above that many bytes; 0: what is free decides
  bool progress = true;       // false: no progress on stderr
  std::vector<std::string> arguments;  // the command line, for the manifest
};

struct TrainOutcome {
  /// kDone, kStopped (saved, run again), or kDiverged (last good checkpoint kept).
  ExitCode code = ExitCode::kDone;
  std::string run;        // the run directory
  int64_t step = 0;       // steps done
  int64_t best_step = 0;  // 0: never evaluated
  double best_value = 0;  // the task's metric on validation at best_step
  std::string metric;     // its name
  bool early_stopped = false;
  std::string message;       // what stopped it, where something did
  bool interrupted = false;  // by SIGINT
};

/// Trains until the last step, an early stop, a signal or a fault. SIGTERM and SIGUSR1 save the
/// last finished step and give kStopped; SIGINT saves it and then ends the process by SIGINT
/// itself, so a shell loop stops; a second SIGINT ends it at once.
/// @throws Error: kBadConfig (also for a resume that changes the experiment, naming the field),
/// kRefused (memory, disk, a run in use), kCannotCreate, kIoError, kMissingInput, kBadData.
/// Nothing is written before the config is valid and the plan fits; a folder made for a run that
/// then fails before its first step is removed.
TrainOutcome TrainExperiment(const TrainRequest& request, const MixerRegistry& mixers,
                             const TaskRegistry& tasks);

}  // namespace ssm
