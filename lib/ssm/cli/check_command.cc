#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "ssm/base/text.h"
#include "ssm/cli/commands.h"
#include "ssm/experiment/experiment_config.h"
#include "ssm/verify/broken_mixers.h"
#include "ssm/verify/laws.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const LawResult& result) {
  const bool finite = std::isfinite(result.worst);
  return {{"law", result.law},
          {"subject", result.subject},
          {"passed", result.passed},
          {"worst", finite ? Json(result.worst) : Json(nullptr)},
          {"tolerance", result.tolerance},
          {"where", result.where},
          {"replay", result.replay}};
}

/// Asks everything an experiment is made of.
class Inspection {
 public:
  Inspection(const ExperimentConfig& config, const LawRequest& request)
      : config_(config), request_(request) {}

  std::vector<LawResult> Run() {
    Both<float>();
    Both<double>();
    Take(CheckOps(request_));
    Take(CheckTask(*config_.task, config_.task.type(), request_));
    return std::move(results_);
  }

 private:
  template <Scalar T>
  void Both() {
    std::set<std::string> seen;
    const int64_t layers = config_.model.layers.size();
    for (int64_t i = 0; i < layers; ++i) {
      const BlockOptions& block = config_.model.layers.at(i);
      const std::string& type = block.mixer.type();
      if (!seen.insert(type).second) continue;
      const MixerContext where{.d_model = config_.model.d_model, .layer = i, .layers = layers};
      Take(
          CheckMixer<T>(*block.mixer, where, fmt::format("layers.{}.mixer {}", i, type), request_));
    }
    Take(CheckModel<T>(config_.model, IoOf(config_.task->Spec()), "model", request_));
  }

  void Take(std::vector<LawResult> results) {
    std::move(results.begin(), results.end(), std::back_inserter(results_));
  }

  const ExperimentConfig& config_;
  const LawRequest& request_;
  std::vector<LawResult> results_;
};

std::string Summary(const std::vector<LawResult>& results) {
  const auto failed = std::count_if(results.begin(), results.end(),
                                    [](const LawResult& result) { return !result.passed; });
  if (failed == 0) return fmt::format("{} checks passed\n", results.size());
  std::set<std::string> laws;
  for (const LawResult& result : results) {
    if (!result.passed) laws.insert(result.law);
  }
  const std::vector<std::string> names(laws.begin(), laws.end());
  return fmt::format("{} of {} checks failed: {}\n", failed, results.size(), Join(names, ", "));
}

}  // namespace

ExitCode RunCheck(const CheckCommand& command, const CommandContext& context) {
  if (!command.law.empty()) RequireLaw(command.law);
  const Catalogue& catalogue = *context.catalogue;
  const MixerRegistry mixers = command.broken.empty()
                                   ? catalogue.mixers
                                   : BreakMixers(catalogue.mixers, FaultFromName(command.broken));
  const Experiment experiment =
      ReadExperiment({command.config, command.overrides}, mixers, catalogue.tasks);

  LawRequest request;
  request.law = command.law;
  request.seed = static_cast<uint64_t>(command.seed);
  request.T = command.T;
  request.config = command.config;
  for (const std::string& override : command.overrides) request.overrides += " " + override;
  request.broken = command.broken;
  request.quick = command.quick;
  if (!command.json) {
    request.on_result = [&](const LawResult& result) {
      if (!context.quiet || !result.passed) context.output->Write(ToString(result) + "\n");
    };
  }
  const std::vector<LawResult> results = Inspection(*experiment.config, request).Run();
  const bool passed = AllPassed(results);
  if (command.json) {
    Json json = {{"schema", "ssmctl.check/1"}, {"passed", passed}, {"results", Json::array()}};
    for (const LawResult& result : results) json["results"].push_back(ToJson(result));
    context.output->Write(json.dump(2) + "\n");
  } else {
    context.output->Write(Summary(results));
  }
  return passed ? ExitCode::kDone : ExitCode::kCheckFailed;
}

}  // namespace ssm
