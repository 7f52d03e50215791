#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "ssm/base/memory.h"
#include "ssm/base/text.h"
#include "ssm/cli/commands.h"
#include "ssm/experiment/experiment_config.h"
#include "ssm/verify/broken_mixers.h"
#include "ssm/verify/check_experiment.h"
#include "ssm/verify/counting_new.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kBytesOfNumber = 48;  // of a parameter, in the law that holds least; measured

Json ToJson(const LawResult& result) {
  const bool finite = std::isfinite(result.worst);
  return {{"law", result.law},
          {"subject", result.subject},
          {"asked", result.asked},
          {"passed", result.passed},
          {"worst", finite ? Json(result.worst) : Json(nullptr)},
          {"tolerance", result.tolerance},
          {"where", result.where},
          {"replay", result.replay}};
}

/// Asks everything an experiment is made of.
std::vector<LawResult> Ask(ExperimentConfig& config, const LawRequest& request) {
  return CheckExperiment({.model = &config.model,
                          .io = IoOf(config.task->Spec()),
                          .task = &*config.task,
                          .task_type = config.task.type(),
                          .train = &config.train,
                          .init_seed = static_cast<uint64_t>(config.seed.init),
                          .data_seed = static_cast<uint64_t>(config.seed.data),
                          .float32 = config.dtype == Precision::kFloat32},
                         request);
}

/// @throws Error(kRefused) where the laws of the model would not fit into memory.
void RefuseHugeModel(const ExperimentConfig& config) {
  const auto layout = MakeModel<double>(config, InitialValues::kLayout);
  const double bytes = kBytesOfNumber * static_cast<double>(layout->parameters().flat_size());
  const MemoryBound memory = FreeMemory();
  if (bytes <= static_cast<double>(memory.bytes)) return;
  Fail(ExitCode::kRefused,
       fmt::format("Checking {} parameters takes {} of memory and {} {}; lower model.d_model, "
                   "model.layers or the mixers' state: a small model keeps the same laws.",
                   FormatCount(layout->parameters().count()),
                   FormatBytes(static_cast<int64_t>(std::min(bytes, 0x1p62))),
                   FormatBytes(memory.bytes), memory.words));
}

std::string Summary(const std::vector<LawResult>& results) {
  const auto failed = std::count_if(results.begin(), results.end(),
                                    [](const LawResult& result) { return !result.passed; });
  const auto asked = std::ranges::count(results, true, &LawResult::asked);
  if (failed == 0) return fmt::format("{} checks passed\n", asked);
  std::set<std::string> laws;
  for (const LawResult& result : results) {
    if (!result.passed) laws.insert(result.law);
  }
  const std::vector<std::string> names(laws.begin(), laws.end());
  return fmt::format("{} of {} checks failed: {}\n", failed, asked, Join(names, ", "));
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
  RefuseHugeModel(*experiment.config);

  CountAllocationsWithNew();
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
  const std::vector<LawResult> results = Ask(*experiment.config, request);
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
