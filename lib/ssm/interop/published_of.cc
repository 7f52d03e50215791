// Which published model a model of this library is, and what else it would take to be one.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/config/config_file.h"
#include "ssm/interop/published_model.h"

namespace ssm {
namespace {

// Fields that say how a model starts or is trained, or a size that its parameters tell.
constexpr std::string_view kNoAnswer[] = {"dropout",   "ends",   "dt_min",  "dt_max",  "dt_floor",
                                          "zero_init", "expand", "dt_rank", "d_state", "d_conv"};

const PublishedFamily* FamilyOf(const ModelOptions& options) {
  for (const PublishedFamily& each : PublishedFamilies()) {
    if (std::ranges::find(each.mixers, options.layers.at(0).mixer.type()) != each.mixers.end()) {
      return &each;
    }
  }
  return nullptr;
}

/// Of the width given, all other sizes as the family's first models have them.
PublishedModel Typical(const PublishedFamily& family, int64_t width, int64_t layers, bool tied) {
  return {&family,
          {{'D', width},
           {'E', 2 * width},
           {'N', 16},
           {'K', 4},
           {'R', (width + 15) / 16},
           {'H', 4 * width}},
          layers,
          tied};
}

/// Fields that a model of the family has otherwise, block by block.
std::vector<std::string> Differences(const MixerRegistry& mixers, const PublishedModel& typical,
                                     ModelOptions& options) {
  ModelOptions published(mixers);
  ReadConfigText(ModelJson(typical, options.layers.size()), "a published model", {}, published);
  std::vector<std::string> faults;
  for (const ConfigDifference& difference : CompareConfigs(published, options)) {
    const std::string& pointer = difference.pointer;
    const std::string field = pointer.substr(pointer.rfind('/') + 1);
    const bool mlp = field == "mlp";
    if (std::ranges::find(kNoAnswer, field) != std::end(kNoAnswer)) continue;
    // Fields of a mixer or an mlp where the other model has another one, or none.
    if (!mlp && (difference.before.empty() || difference.after.empty())) continue;
    faults.push_back(fmt::format("model{} is {}, where a {} model has {}", pointer,
                                 mlp ? "there" : difference.after, typical.family->name,
                                 difference.before));
  }
  return faults;
}

/// Learns the sizes; names parameters a model of the family does not have, or has beyond.
std::vector<std::string> CompareParameters(const ParameterStore& store, std::string_view field,
                                           PublishedModel& model) {
  std::map<std::string, Shape> shapes;
  for (const ParameterInfo& info : store.infos()) shapes[info.name] = info.param.shape;
  std::vector<std::string> faults;
  for (const TensorPair& pair : TensorsOf(*model.family, model.layers, model.tied, field)) {
    const auto found = shapes.find(pair.ours);
    if (found == shapes.end()) {
      faults.push_back("missing parameter: " + pair.ours);
    } else {
      LearnSizes(pair.axes, found->second, false, model.sizes);
      shapes.erase(found);
    }
  }
  for (const auto& [ours, shape] : shapes) faults.push_back("further parameter: " + ours);
  return faults;
}

}  // namespace

PublishedModel PublishedOf(const MixerRegistry& mixers, ModelOptions& options, const ModelIo& io,
                           const ParameterStore& store, const std::string& name) {
  const PublishedFamily* family = FamilyOf(options);
  if (family == nullptr) {
    std::vector<std::string> families;
    for (const PublishedFamily& each : PublishedFamilies()) families.emplace_back(each.name);
    Fail(ExitCode::kBadConfig,
         fmt::format("{} has no published names: its layers begin with {}, and there are names of "
                     "{}.",
                     QuotePath(name), options.layers.at(0).mixer.type(), Join(families, " and ")));
  }
  const int64_t blocks = family->blocks_per_layer();
  const bool tied = options.readout == ReadoutKind::kTied;
  const PublishedModel typical = Typical(*family, options.d_model, 1, tied);
  std::vector<std::string> faults;
  if (io.reals > 0 || io.tokens.size() != 1 || io.tokens.front().vocabulary != io.outputs) {
    faults.emplace_back(
        "its task is another: a language model takes one field of ids and answers as many logits");
  }
  if (options.layers.size() % blocks != 0) {
    faults.push_back(fmt::format(
        "model/layers holds {}, where each layer of a {} model is {}: {}",
        FormatCount(options.layers.size(), "block"), family->name, blocks,
        Join(std::vector<std::string>(family->mixers.begin(), family->mixers.end()), ", ")));
  }
  std::ranges::copy(Differences(mixers, typical, options), std::back_inserter(faults));
  PublishedModel model{family, {}, options.layers.size() / blocks, tied};
  // Other options are why parameters differ, so those are told only where the options agree.
  if (faults.empty()) faults = CompareParameters(store, io.tokens.front().name, model);
  if (faults.empty()) return model;
  const std::string fits = nlohmann::ordered_json::parse(ModelJson(typical)).dump();
  Fail(ExitCode::kBadConfig,
       fmt::format("{} has no published names, as it is no {} model:{}\na {} model of {} is "
                   "\"model\": {}",
                   QuotePath(name), family->name, ListedFaults(faults), family->name,
                   FormatCount(typical.layers, "layer"), fits));
}

}  // namespace ssm
