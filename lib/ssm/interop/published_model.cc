#include "ssm/interop/published_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMostLayers = 1024;
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

/// How a file spells the names of its family.
struct Spelling {
  bool aliases = false;             // it has some
  std::vector<std::string> faults;  // tensors it has under two names

  std::string Of(const PublishedFamily& family, const std::string& published) const {
    return aliases ? AliasOf(family, published) : published;
  }
};

Spelling ReplaceAliases(const PublishedFamily& family, TensorFile& file, PublishedNames& names) {
  Spelling spelling;
  std::map<std::string, std::string> met;  // by the published name
  for (NamedTensor& tensor : file.tensors) {
    names[tensor.name] = tensor.dtype;
    std::string published = PublishedName(family, tensor.name);
    const auto [first, fresh] = met.emplace(published, tensor.name);
    if (!fresh) {
      spelling.faults.push_back(
          fmt::format("one tensor under two names: {}, {}", first->second, tensor.name));
    }
    spelling.aliases = spelling.aliases || published != tensor.name;
    tensor.name = std::move(published);
  }
  return spelling;
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

/// Another family whose table of tokens is in the file.
std::string OtherFamily(const PublishedFamily& family, const TensorFile& file) {
  for (const PublishedFamily& other : PublishedFamilies()) {
    const bool has = std::ranges::any_of(file.tensors, [&](const NamedTensor& tensor) {
      return PublishedName(other, tensor.name) == other.table;
    });
    if (&other != &family && has) {
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

std::string ListedFaults(const std::vector<std::string>& faults) {
  std::string text;
  const size_t listed = std::min(faults.size(), kMostFaultsListed);
  for (size_t i = 0; i < listed; ++i) text += "\n  " + faults[i];
  if (listed < faults.size()) text += fmt::format("\n  and {} more", faults.size() - listed);
  return text;
}

PublishedModel ReadPublished(const PublishedFamily& family, const std::string& path,
                             TensorFile& file, PublishedNames& names) {
  const Spelling spelling = ReplaceAliases(family, file, names);
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
  std::vector<std::string> unknown, faults = spelling.faults;
  for (const TensorPair& pair : pairs) {
    const NamedTensor* tensor = file.Find(pair.published);
    const std::string shown = spelling.Of(family, pair.published);
    if (tensor == nullptr) {
      faults.push_back("missing: " + shown);
      continue;
    }
    if (std::holds_alternative<IntArray>(tensor->values)) {
      faults.push_back(shown + " holds integers");
    }
    if (!KnowsSizes({pair}, model.sizes)) continue;  // what would tell them is missing
    const Shape wanted = ShapeUnder(pair.axes, true, model.sizes);
    if (ShapeOf(tensor->values) == wanted) continue;
    faults.push_back(fmt::format("shape of {}: {}, wanted {} ({}, by the tensors before)", shown,
                                 ShapeOf(tensor->values).ToString(), wanted.ToString(), pair.axes));
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
                     OtherFamily(family, file), ListedFaults(unknown) + ListedFaults(faults)));
  }
  return model;
}

std::string ModelJson(const PublishedModel& model) {
  return ModelJson(model, model.layers * model.family->blocks_per_layer());
}

std::string ModelJson(const PublishedModel& model, int64_t blocks) {
  const Sizes& size = model.sizes;
  const auto real = [&](char letter) { return static_cast<double>(size.at(letter)); };
  Json json = {{"d_model", size.at('D')}, {"readout", model.tied ? "tied" : "unbiased"}};
  Json block = {{"residual", true}, {"activation", "none"}, {"output", "none"}, {"mlp", "none"}};
  if (model.family->name == "mamba") {
    json["final_norm"] = "rms";
    json["layers"] = blocks;
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
    const Json channel_mix = {
        {"mixer", {{"type", "rwkv4_channel_mix"}, {"expand", real('H') / real('D')}}}};
    for (int64_t i = 0; i < blocks; ++i) {
      json["layers"].push_back(i % 2 == 0 ? Json::object() : channel_mix);
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

template <Scalar T>
TensorFile PublishedTensors(const PublishedModel& model, const Parameters<T>& parameters,
                            const PublishedNames& names, std::string_view token_field) {
  const PublishedFamily& family = *model.family;
  TensorFile file;
  const auto add = [&](std::string name, const TensorPair& pair) {
    if (const std::string alias = AliasOf(family, name); names.contains(alias)) name = alias;
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
