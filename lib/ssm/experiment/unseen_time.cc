#include "ssm/experiment/unseen_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ssm/base/log.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

/// Types of mixers that take no time between tokens (`each`: one of its own for every token), each
/// once.
std::vector<std::string> BlindMixers(const ModelOptions& model, bool each) {
  std::vector<std::string> types;
  for (int64_t i = 0; i < model.layers.size(); ++i) {
    const auto& mixer = model.layers.at(i).mixer;
    const MixerContext context{model.d_model, i, model.layers.size()};
    const MixerProperties properties = mixer->Properties(context);
    if (properties.per_step_dt || (!each && properties.scaled_dt)) continue;
    if (std::find(types.begin(), types.end(), mixer.type()) == types.end()) {
      types.push_back(mixer.type());
    }
  }
  return types;
}

}  // namespace

void WarnOfUnseenTime(const ExperimentConfig& config, double dt_scale) {
  const bool given = config.task->Spec().has_dt;
  if (!given && dt_scale == 1) return;
  const std::vector<std::string> blind = BlindMixers(config.model, given);
  if (blind.empty()) return;
  LogWarning(fmt::format("{} {} tokens as evenly spaced: {} not seen by the model.",
                         Join(blind, " and "), blind.size() == 1 ? "takes" : "take",
                         given ? "the time between them is"
                               : fmt::format("eval.dt_scale {} is", FormatNumber(dt_scale))));
}

}  // namespace ssm
