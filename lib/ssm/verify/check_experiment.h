// Every law that what an experiment is made of must keep.
#pragma once

#include <string>
#include <vector>

#include "ssm/training/train_options.h"
#include "ssm/verify/laws.h"

namespace ssm {

/// An experiment's parts, borrowed. (The config itself lies in a layer above this one.)
struct ExperimentParts {
  ModelOptions* model = nullptr;  // not changed; listing its fields takes a mutable one
  ModelIo io;                     // as the task states it
  const Task* task = nullptr;
  std::string task_type;
  const TrainOptions* train = nullptr;
  uint64_t init_seed = 1, data_seed = 1;
  bool float32 = true;  // what it trains in
};

/// Every different mixer of the model and the whole model, in double and in float; every op; the
/// task; and a training run of three steps at 1, 2 and 3 threads in the experiment's own scalar.
std::vector<LawResult> CheckExperiment(const ExperimentParts& parts, const LawRequest& request);

}  // namespace ssm
