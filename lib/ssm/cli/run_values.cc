#include "ssm/cli/run_values.h"

#include <algorithm>

#include "ssm/training/initial_values.h"

namespace ssm {
namespace {

template <Scalar T>
int64_t ReadAs(const ExperimentConfig& config, const std::string& run,
               const std::string& checkpoint, Parameters<double>& values) {
  const SequenceModel<T> model(config.model, IoOf(config.task->Spec()),
                               static_cast<uint64_t>(config.seed.init));
  Parameters<T> read(model.parameters());
  const int64_t step = ReadValues<T>(run, checkpoint, read).step;
  std::copy(read.flat().begin(), read.flat().end(), values.flat().begin());
  values.Touch();
  return step;
}

}  // namespace

int64_t ReadInDouble(const ExperimentConfig& config, const std::string& run,
                     const std::string& checkpoint, Parameters<double>& values) {
  return config.dtype == Precision::kFloat32 ? ReadAs<float>(config, run, checkpoint, values)
                                             : ReadAs<double>(config, run, checkpoint, values);
}

}  // namespace ssm
