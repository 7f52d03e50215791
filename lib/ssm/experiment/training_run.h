// The loop of one training run, between a prepared folder and its outcome.
#pragma once

#include <chrono>

#include "ssm/experiment/lease.h"
#include "ssm/experiment/run_directory.h"
#include "ssm/experiment/run_experiment.h"
#include "ssm/experiment/signals.h"

namespace ssm {

/// What a run needs, borrowed; the folder has its config and its lease is held.
struct TrainingSetting {
  const RunDirectory* run = nullptr;
  ExperimentConfig* config = nullptr;
  const Lease* lease = nullptr;
  const SignalGuard* signals = nullptr;
  int threads = 1;
  bool progress = true;
  int64_t extended_from = 0;  // 0: never
  std::chrono::steady_clock::time_point stop_at = std::chrono::steady_clock::time_point::max();
};

/// Restores the newest valid checkpoint and trains on, in the scalar the config names. At a step:
/// update, metrics, evaluation, checkpoint, stop requests, in that order, so a checkpoint says all
/// there is to say about its step. A signal in the middle of a step abandons it: what is saved is
/// the step before, with the bits it had.
/// @throws Error, kDiverged included.
TrainOutcome RunTraining(const TrainingSetting& setting);

}  // namespace ssm
