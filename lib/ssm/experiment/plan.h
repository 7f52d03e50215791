// What a run will cost, before it costs it.
#pragma once

#include <cstdint>
#include <string>

#include "ssm/experiment/experiment_config.h"

namespace ssm {

struct TrainPlan {
  int64_t params = 0;       // numbers trained
  int64_t state_bytes = 0;  // live bytes of one stream's state after a training sequence
  double flops = 0;         // of the whole run: 3 x forward (forward 1, backward 2) x steps
  double flops_per_step = 0;
  double product_flops = 0;      // of flops: in dense products, as far as operations tell
  int64_t peak_bytes = 0;        // memory while training and evaluating
  int64_t parameter_bytes = 0;   // of it: what grows with the parameters alone
  int64_t evaluation_bytes = 0;  // of it: a validation
  int64_t checkpoint_bytes = 0;  // one checkpoint on disk
  int64_t disk_bytes = 0;        // all that are kept, and one being written
  double seconds = 0;            // of the whole run
  std::string seconds_basis;     // "measured on 3 steps, 2 threads", or the rate assumed
};

/// Counts in plan mode: no arithmetic, no tape memory, no parameters. Threads only add memory, and
/// only while evaluating. @throws Error(kRefused) with both numbers where two sequences, with their
/// states and kernels, fill memory (also `max_memory` bytes, where not 0) by themselves.
TrainPlan CountTraining(const ExperimentConfig& config, int threads = 1, int64_t max_memory = 0);
/// TrainPlan's costs of the model alone, one by one: they lay it out, and plan no step.
int64_t CountParameters(const ExperimentConfig& config);
double CountStateBytes(const ExperimentConfig& config);
/// TrainPlan::flops alone: plans one step, and no validation. @throws Error(kRefused) as
/// CountTraining.
double CountTrainingFlops(const ExperimentConfig& config);
/// Fills in seconds by running up to three optimiser steps (about a second) when they fit into
/// memory, else from 2 GFLOP/s a thread.
void TimeTraining(const ExperimentConfig& config, int threads, TrainPlan& plan,
                  int64_t max_memory = 0);

}  // namespace ssm
