#include "ssm/interop/published_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/config/config_file.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMostLayers = 1024;
// Fields that say how a model starts or is trained, or a size its parameters were compared by.
constexpr std::string_view kNoAnswer[] = {"dropout",  "ends",      "dt_min", "dt_max",
                                          "dt_floor", "zero_init", "expand", "dt_rank"};
constexpr size_t kMostFaultsListed = 12;  // of one kind

/// One more than the largest number that follows the family's prefix; 0 where none does.
int64_t LayersIn(const PublishedFamily& family, const TensorFile& file) {
  int64_t layers = 0;
  for (const NamedTensor& tensor : file.tensors) {
    if (!tensor.name.starts_with(family.layer)) continue;
    const std::string rest = tensor.name.substr(family.layer.size());
    const std::optional<int64_t> number = ParseInteger(rest.substr(0, rest.find('.')));
    if (number && *number >= 0) layers = std::max(layers, std::min(*number, kMostLayers) + 1);
  }
  return layers;
}

void ReplaceAliases(const PublishedFamily& family, TensorFile& file, PublishedNames& names) {
  for (NamedTensor& tensor : file.tensors) {
    names[tensor.name] = tensor.dtype;
    for (const PublishedAlias& alias : family.aliases) {
      if (tensor.name == alias.alias) tensor.name = alias.published;
    }
  }
}

bool SameValues(const NamedTensor& a, const NamedTensor& b) {
  if (a.values.index() != b.values.index() || !(ShapeOf(a.values) == ShapeOf(b.values)))
    return false;
  return std::visit(
      [&](const auto& left) {
        const auto& right = std::get<std::decay_t<decltype(left)>>(b.values);
        return std::memcmp(left.data(), right.data(), static_cast<size_t>(left.bytes())) == 0;
      },
      a.values);
}

bool IsTied(const PublishedFamily& family, const TensorFile& file) {
  const NamedTensor* head = file.Find(family.head);
  const NamedTensor* table = file.Find(family.table);
  return head == nullptr || (table != nullptr && SameValues(*head, *table));
}

std::string Listed(const std::vector<std::string>& faults) {
  std::string text;
  const size_t listed = std::min(faults.size(), kMostFaultsListed);
  for (size_t i = 0; i < listed; ++i) text += "\n  " + faults[i];
  if (listed < faults.size()) text += fmt::format("\n  and {} more", faults.size() - listed);
  return text;
}

/// Another family whose table of tokens is in the file.
std::string OtherFamily(const PublishedFamily& family, const TensorFile& file) {
  for (const PublishedFamily& other : PublishedFamilies()) {
    if (&other != &family && file.Find(other.table) != nullptr) {
      return fmt::format(" (its names are those of {})", other.name);
    }
  }
  return "";
}

/// Sizes a file may not leave out: each stands alone on some axis of its family.
bool KnowsSizes(const std::vector<TensorPair>& pairs, const Sizes& sizes) {
  return std::ranges::all_of(pairs, [&](const TensorPair& pair) {
    return std::ranges::all_of(pair.axes,
                               [&](char c) { return c < 'A' || c > 'Z' || sizes.contains(c); });
  });
}

}  // namespace

PublishedModel ReadPublished(const PublishedFamily& family, const std::string& path,
                             TensorFile& file, PublishedNames& names) {
  ReplaceAliases(family, file, names);
  PublishedModel model{&family, {}, LayersIn(family, file), IsTied(family, file)};
  const bool has_head = file.Find(family.head) != nullptr;
  const std::vector<TensorPair> pairs =
      TensorsOf(family, std::max<int64_t>(model.layers, 1), !has_head, kPublishedField);
  std::set<std::string> known;
  for (const TensorPair& pair : pairs) {
    known.insert(pair.published);
    const NamedTensor* tensor = file.Find(pair.published);
    if (tensor != nullptr) LearnSizes(pair.axes, ShapeOf(tensor->values), true, model.sizes);
  }
  std::vector<std::string> unknown, faults;
  for (const TensorPair& pair : pairs) {
    const NamedTensor* tensor = file.Find(pair.published);
    if (tensor == nullptr) {
      faults.push_back("missing: " + pair.published);
      continue;
    }
    if (std::holds_alternative<IntArray>(tensor->values)) {
      faults.push_back(pair.published + " holds integers");
    }
    if (!KnowsSizes({pair}, model.sizes)) continue;  // what would tell them is missing
    const Shape wanted = ShapeUnder(pair.axes, true, model.sizes);
    if (ShapeOf(tensor->values) == wanted) continue;
    faults.push_back(fmt::format("shape of {}: {}, wanted {} ({}, by the tensors before)",
                                 pair.published, ShapeOf(tensor->values).ToString(),
                                 wanted.ToString(), pair.axes));
  }
  for (const NamedTensor& tensor : file.tensors) {
    if (known.contains(tensor.name)) continue;
    unknown.push_back(
        fmt::format("unknown: {} {}", tensor.name, ShapeOf(tensor.values).ToString()));
  }
  if (family.name == "mamba" && faults.empty() &&
      model.sizes.at('E') % std::max<int64_t>(model.sizes.at('D'), 1) != 0) {
    faults.push_back(fmt::format("its {} inner channels are no multiple of its {} channels",
                                 model.sizes.at('E'), model.sizes.at('D')));
  }
  for (const auto& [letter, size] : model.sizes) {
    if (size == 0) faults.push_back(fmt::format("the axis {} has length 0", letter));
  }
  if (!faults.empty() || !unknown.empty()) {
    Fail(ExitCode::kBadData,
         fmt::format("{} is no published {} model{}:{}", QuotePath(path), family.name,
                     OtherFamily(family, file), Listed(unknown) + Listed(faults)));
  }
  return model;
}

std::string ModelJson(const PublishedModel& model) {
  const Sizes& size = model.sizes;
  const auto real = [&](char letter) { return static_cast<double>(size.at(letter)); };
  Json json = {{"d_model", size.at('D')}, {"readout", model.tied ? "tied" : "unbiased"}};
  Json block = {{"residual", true}, {"activation", "none"}, {"output", "none"}, {"mlp", "none"}};
  if (model.family->name == "mamba") {
    json["final_norm"] = "rms";
    json["layers"] = model.layers;
    block["norm"] = "rms";
    block["mixer"] = {{"type", "mamba"},
                      {"d_state", size.at('N')},
                      {"expand", size.at('E') / size.at('D')},
                      {"d_conv", size.at('K')},
                      {"dt_rank", size.at('R')}};
  } else {
    json["encoder_norm"] = "layer";
    json["final_norm"] = "layer";
    block["norm"] = "layer";
    block["mixer"] = {{"type", "rwkv4"}};
    json["layers"] = Json::array();
    for (int64_t i = 0; i < model.layers; ++i) {
      json["layers"].push_back(Json::object());
      json["layers"].push_back(
          {{"mixer", {{"type", "rwkv4_channel_mix"}, {"expand", real('H') / real('D')}}}});
    }
  }
  json["block"] = block;
  return json.dump(2);
}

template <Scalar T>
void TakeValues(const PublishedModel& model, const TensorFile& file, Parameters<T>& into) {
  const ParameterStore& store = into.store();
  const std::vector<TensorPair> pairs =
      TensorsOf(*model.family, model.layers, model.tied, kPublishedField);
  SSM_CHECK(pairs.size() == store.infos().size(), "a tensor for every parameter");
  for (const TensorPair& pair : pairs) {
    const ParameterInfo* info = store.Find(pair.ours);
    SSM_CHECK(info != nullptr, "no parameter " + pair.ours);
    SSM_CHECK(info->param.shape == ShapeUnder(pair.axes, false, model.sizes),
              pair.ours + " has shape " + info->param.shape.ToString());
    std::visit(
        [&](const auto& values) {
          std::transform(values.data(), values.data() + values.size(), into.values(*info).begin(),
                         [](auto value) { return static_cast<T>(value); });
        },
        file.Find(pair.published)->values);
  }
  into.Touch();
}

PublishedModel PublishedOf(const MixerRegistry& mixers, ModelOptions& options, const ModelIo& io,
                           const ParameterStore& store, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    Fail(ExitCode::kBadConfig, fmt::format("{} has no published names: {}.", QuotePath(name), why));
  };
  const PublishedFamily* family = nullptr;
  for (const PublishedFamily& each : PublishedFamilies()) {
    if (each.mixers.front() == options.layers.at(0).mixer.type()) family = &each;
  }
  std::vector<std::string> families;
  for (const PublishedFamily& each : PublishedFamilies()) families.emplace_back(each.name);
  if (family == nullptr) {
    refuse(fmt::format("its layers begin with {}, and there are names of {}",
                       options.layers.at(0).mixer.type(), Join(families, " and ")));
  }
  const int64_t blocks = family->blocks_per_layer();
  for (int64_t i = 0; i < options.layers.size(); ++i) {
    const std::string_view wanted = family->mixers[static_cast<size_t>(i % blocks)];
    if (options.layers.at(i).mixer.type() == wanted && options.layers.size() % blocks == 0)
      continue;
    refuse(fmt::format("block {} is {}, where a {} model has {}", i,
                       options.layers.at(i).mixer.type(), family->name, wanted));
  }
  if (io.reals > 0 || io.tokens.size() != 1 || io.tokens.front().vocabulary != io.outputs) {
    refuse("a language model takes one field of ids and answers as many logits");
  }
  PublishedModel model{
      family, {}, options.layers.size() / blocks, options.readout == ReadoutKind::kTied};
  std::map<std::string, Shape> shapes;
  for (const ParameterInfo& info : store.infos()) shapes[info.name] = info.param.shape;
  const std::vector<TensorPair> pairs =
      TensorsOf(*family, model.layers, model.tied, io.tokens.front().name);
  std::vector<std::string> faults;
  for (const TensorPair& pair : pairs) {
    const auto found = shapes.find(pair.ours);
    if (found == shapes.end()) {
      faults.push_back("missing: " + pair.ours);
    } else {
      LearnSizes(pair.axes, found->second, false, model.sizes);
      shapes.erase(found);
    }
  }
  for (const auto& [ours, shape] : shapes) faults.push_back("further: " + ours);
  if (!faults.empty()) {
    refuse(
        fmt::format("its parameters are not those of a {} model:{}", family->name, Listed(faults)));
  }
  ModelOptions published(mixers);
  ReadConfigText(ModelJson(model), "a published model", {}, published);
  for (const ConfigDifference& difference : CompareConfigs(published, options)) {
    const std::string& pointer = difference.pointer;
    const std::string field = pointer.substr(pointer.rfind('/') + 1);
    if (std::ranges::find(kNoAnswer, field) != std::end(kNoAnswer)) continue;
    refuse(fmt::format("model{} is {}, where a {} model has {}", pointer, difference.after,
                       family->name, difference.before));
  }
  return model;
}

template <Scalar T>
TensorFile PublishedTensors(const PublishedModel& model, const Parameters<T>& parameters,
                            const PublishedNames& names, std::string_view token_field) {
  const PublishedFamily& family = *model.family;
  TensorFile file;
  const auto add = [&](std::string name, const TensorPair& pair) {
    for (const PublishedAlias& alias : family.aliases) {
      if (alias.published == name && names.contains(std::string(alias.alias))) name = alias.alias;
    }
    Array<T> values(ShapeUnder(pair.axes, true, model.sizes));
    std::ranges::copy(parameters.values(*parameters.store().Find(pair.ours)), values.data());
    const auto met = names.find(name);
    if (met == names.end()) {
      file.Add(name, std::move(values));
    } else if (met->second == DType::kF64) {
      file.Add(name, Cast<double>(values));
    } else {
      file.Add(name, Cast<float>(values));
      file.tensors.back().dtype = met->second;
    }
  };
  for (const TensorPair& pair : TensorsOf(family, model.layers, model.tied, token_field)) {
    add(pair.published, pair);
    const std::string head(family.head);
    if (model.tied && pair.published == family.table && names.contains(head)) add(head, pair);
  }
  return file;
}

#define SSM_INSTANTIATE(T)                                                            \
  template void TakeValues(const PublishedModel&, const TensorFile&, Parameters<T>&); \
  template TensorFile PublishedTensors(const PublishedModel&, const Parameters<T>&,   \
                                       const PublishedNames&, std::string_view);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
