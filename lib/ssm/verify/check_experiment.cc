#include "ssm/verify/check_experiment.h"

#include <fmt/core.h>

#include <iterator>
#include <set>

#include "ssm/config/config_file.h"
#include "ssm/verify/training_laws.h"

namespace ssm {
namespace {

void Append(std::vector<LawResult>& results, std::vector<LawResult> more) {
  std::move(more.begin(), more.end(), std::back_inserter(results));
}

template <Scalar T>
void CheckMixers(const ExperimentParts& parts, const LawRequest& request,
                 std::vector<LawResult>& results) {
  std::set<std::string> seen;
  const int64_t layers = parts.model->layers.size();
  for (int64_t i = 0; i < layers; ++i) {
    OneOf<MixerOptions>& mixer = parts.model->layers.at(i).mixer;
    if (!seen.insert(mixer.type() + WriteConfig(*mixer)).second) continue;
    const MixerContext context{.d_model = parts.model->d_model, .layer = i, .layers = layers};
    Append(results, CheckMixer<T>(*mixer, context,
                                  fmt::format("layers.{}.mixer {}", i, mixer.type()), request));
  }
}

template <Scalar T>
void CheckScalar(const ExperimentParts& parts, const LawRequest& request,
                 std::vector<LawResult>& results) {
  CheckMixers<T>(parts, request, results);
  Append(results, CheckModel<T>(*parts.model, parts.io, "model", request));
}

}  // namespace

std::vector<LawResult> CheckExperiment(const ExperimentParts& parts, const LawRequest& request) {
  std::vector<LawResult> results;
  CheckScalar<float>(parts, request, results);
  CheckScalar<double>(parts, request, results);
  Append(results, CheckOps(request));
  Append(results, CheckTask(*parts.task, parts.task_type, request));
  const TrainingSubject training{parts.model, parts.io,        parts.task,
                                 parts.train, parts.init_seed, parts.data_seed};
  if (!request.law.empty() && request.law != "threads" && request.law != "no_allocation") {
    return results;
  }
  Append(results, parts.float32 ? CheckTraining<float>(training, "training", request)
                                : CheckTraining<double>(training, "training", request));
  return results;
}

}  // namespace ssm
