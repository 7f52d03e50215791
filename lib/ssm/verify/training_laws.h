// The laws of a training run.
#pragma once

#include "ssm/training/train_options.h"
#include "ssm/verify/laws.h"

namespace ssm {

/// What a training run is made of, borrowed.
struct TrainingSubject {
  const ModelOptions* model = nullptr;
  ModelIo io;  // as the task states it
  const Task* task = nullptr;
  const TrainOptions* train = nullptr;
  uint64_t init_seed = 1, data_seed = 1;
};

/// `threads`: three steps with 1, 2 and 3 threads end with the same parameters and moments, bit for
/// bit. `no_allocation`: the second step's forward, backward and update allocate nothing.
template <Scalar T>
std::vector<LawResult> CheckTraining(const TrainingSubject& subject, const std::string& name,
                                     const LawRequest& request);

}  // namespace ssm
