#include "ssm/experiment/preflight.h"

#include "ssm/training/adamw.h"
#include "ssm/training/initial_values.h"
#include "ssm/training/train_batch.h"

namespace ssm {
namespace {

template <Scalar T>
void Require(const ExperimentConfig& config) {
  const auto model = MakeModel<T>(config, InitialValues::kLayout);
  RequireTrainingSequences(*config.task);
  ParameterRanges(model->parameters(), config.train);
  if (config.train.init_from) RequireFit<T>(*config.train.init_from, model->parameters());
}

}  // namespace

void RequireTrainable(const ExperimentConfig& config) {
  if (config.dtype == Precision::kFloat32) {
    Require<float>(config);
  } else {
    Require<double>(config);
  }
}

}  // namespace ssm
