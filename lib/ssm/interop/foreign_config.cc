#include "ssm/interop/foreign_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/kernels/norm.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kLargestConfig = int64_t{1} << 24;

bool OneOfNames(const std::string& key, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* name) { return key == name; });
}

/// A key that states a size: the letter of Sizes, or L for layers; of every family or of one.
struct SizeKey {
  std::string_view key, family;
  char letter;
};
constexpr SizeKey kSizeKeys[] = {
    {"vocab_size", "", 'V'},        {"hidden_size", "", 'D'},
    {"d_model", "", 'D'},           {"n_embd", "", 'D'},
    {"num_hidden_layers", "", 'L'}, {"n_layer", "", 'L'},
    {"n_layers", "", 'L'},          {"intermediate_size", "mamba", 'E'},
    {"d_inner", "mamba", 'E'},      {"state_size", "mamba", 'N'},
    {"d_state", "mamba", 'N'},      {"conv_kernel", "mamba", 'K'},
    {"d_conv", "mamba", 'K'},       {"time_step_rank", "mamba", 'R'},
    {"dt_rank", "mamba", 'R'},      {"intermediate_size", "rwkv4", 'H'},
    {"dim_ffn", "rwkv4", 'H'},      {"attention_hidden_size", "rwkv4", 'D'},
    {"dim_att", "rwkv4", 'D'},
};

/// One config file, key by key.
class ForeignReader {
 public:
  ForeignReader(const Json& json, const PublishedModel& model)
      : model_(model), family_(*model.family) {
    const auto padded = json.find("pad_vocab_size_multiple");
    if (padded != json.end() && padded->is_number_integer()) pad_ = padded->get<double>();
    Walk(json, "");
  }

  ForeignConfig config;
  std::vector<std::string> faults;

 private:
  /// Keys of `ssm_cfg`, mamba's options, are told as "ssm_cfg.d_state".
  void Walk(const Json& json, const std::string& prefix) {
    for (const auto& [key, value] : json.items()) {
      if (key == "ssm_cfg" && value.is_object() && !value.empty()) {
        Walk(value, key + ".");
      } else if (!Take(key, prefix + key, value)) {
        config.ignored.push_back(prefix + key);
      }
    }
  }

  void Refuse(const std::string& key, const Json& found, const std::string& allowed) {
    faults.push_back(fmt::format("{} is {}; allowed for a {} model: {}", Quote(key), Dumped(found),
                                 family_.name, allowed));
  }
  void Contradict(const std::string& key, const Json& found, const std::string& tensors) {
    faults.push_back(
        fmt::format("{} is {}, and the tensors have {}", Quote(key), Dumped(found), tensors));
  }
  static std::string Dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  /// Whether the key says something to us.
  bool Take(const std::string& key, const std::string& shown, const Json& value) {
    if (value.is_null()) return false;  // left to a default
    if (TakeSize(key, shown, value)) return true;
    if (key == "model_type") {
      const bool known =
          value.is_string() &&
          std::ranges::find(family_.models, value.get<std::string>()) != family_.models.end();
      if (!known) {
        Refuse(shown, value,
               Join(std::vector<std::string>(family_.models.begin(), family_.models.end()), ", "));
      }
    } else if (OneOfNames(
                   key, {"layer_norm_epsilon", "layer_norm_eps", "rms_norm_eps", "norm_epsilon"})) {
      const bool same = value.is_number() && std::abs(value.get<double>() - kernels::kNormEps) <
                                                 1e-3 * kernels::kNormEps;
      if (!same) Refuse(shown, value, FormatNumber(kernels::kNormEps));
    } else if (key == "hidden_act" && family_.name == "mamba") {
      if (value != "silu" && value != "swish") Refuse(shown, value, "\"silu\"");
    } else if (OneOfNames(key, {"ctx_len", "context_length"})) {
      const bool whole =
          value.is_number_integer() && value.get<double>() >= 1 && value.get<double>() <= 1e9;
      if (whole) {
        config.context = value.get<int64_t>();
      } else {
        Refuse(shown, value, "a whole number from 1 to 1000000000");
      }
    } else if (key == "tie_word_embeddings") {
      if (value != true && value != false) {
        Refuse(shown, value, "true, false");
      } else if (value == true && !model_.tied) {
        Contradict(shown, value, fmt::format("{} of its own values", family_.head));
      }
    } else if (OneOfNames(key, {"use_bias", "use_conv_bias"}) && family_.name == "mamba") {
      const bool has = key == "use_conv_bias";
      if (value != has) {
        Contradict(shown, value, has ? "mixer.conv1d.bias" : "no bias of mixer.in_proj");
      }
    } else {
      return false;
    }
    return true;
  }

  bool TakeSize(const std::string& key, const std::string& shown, const Json& value) {
    const int64_t width = model_.sizes.at('D');
    if (key == "expand" && family_.name == "mamba") {
      const double ratio = static_cast<double>(model_.sizes.at('E')) / static_cast<double>(width);
      if (value != ratio) Contradict(shown, value, FormatNumber(ratio));
      return true;
    }
    for (const SizeKey& each : kSizeKeys) {
      if (each.key != key || (!each.family.empty() && each.family != family_.name)) continue;
      const int64_t size = each.letter == 'L' ? model_.layers : model_.sizes.at(each.letter);
      const bool same = each.letter == 'R' && value == "auto" ? size == (width + 15) / 16
                        : each.letter == 'V'                  ? HoldsVocabulary(value, size)
                                                              : value == size;
      if (!same) Contradict(shown, value, std::to_string(size));
      return true;
    }
    return false;
  }

  /// A table may have rows beyond the vocabulary, up to a multiple that the config names.
  bool HoldsVocabulary(const Json& value, int64_t rows) const {
    if (value == rows) return true;
    if (!value.is_number_integer() || pad_ < 1) return false;
    const double stated = value.get<double>();
    return stated >= 1 && std::ceil(stated / pad_) * pad_ == static_cast<double>(rows);
  }

  const PublishedModel& model_;
  const PublishedFamily& family_;
  double pad_ = 0;
};

}  // namespace

ForeignConfig ReadForeignConfig(const std::string& path, const PublishedModel& model) {
  const Json json = Json::parse(ReadFile(path, kLargestConfig), nullptr, false, true);
  if (!json.is_object()) {
    Fail(ExitCode::kBadData, fmt::format("{} is no JSON object, as the config of a published model "
                                         "is.",
                                         QuotePath(path)));
  }
  ForeignReader reader(json, model);
  if (reader.faults.empty()) return std::move(reader.config);
  if (reader.faults.size() == 1) {
    Fail(ExitCode::kBadData, fmt::format("{}: {}.", QuotePath(path), reader.faults.front()));
  }
  Fail(ExitCode::kBadData, fmt::format("{} is of another model than the tensors:\n  {}",
                                       QuotePath(path), Join(reader.faults, "\n  ")));
}

std::string ForeignConfigText(const PublishedModel& model, int64_t context) {
  const Sizes& size = model.sizes;
  Json json = {{"model_type", std::string(model.family->models.front())},
               {"vocab_size", size.at('V')},
               {"hidden_size", size.at('D')},
               {"num_hidden_layers", model.layers}};
  if (model.family->name == "mamba") {
    json["intermediate_size"] = size.at('E');
    json["state_size"] = size.at('N');
    json["conv_kernel"] = size.at('K');
    json["time_step_rank"] = size.at('R');
    if (size.at('E') % size.at('D') == 0) json["expand"] = size.at('E') / size.at('D');
    json["hidden_act"] = "silu";
    json["use_bias"] = false;
    json["use_conv_bias"] = true;
  } else {
    json["attention_hidden_size"] = size.at('D');
    json["intermediate_size"] = size.at('H');
  }
  json["layer_norm_epsilon"] = kernels::kNormEps;
  json["tie_word_embeddings"] = model.tied;
  if (context > 0) json["context_length"] = context;
  return json.dump(2) + "\n";
}

}  // namespace ssm
