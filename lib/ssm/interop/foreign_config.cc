#include "ssm/interop/foreign_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

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

}  // namespace

ForeignConfig ReadForeignConfig(const std::string& path, const PublishedFamily& family) {
  const Json json = Json::parse(ReadFile(path, kLargestConfig), nullptr, false, true);
  const auto refuse = [&](const std::string& key, const Json& found, const std::string& allowed) {
    Fail(ExitCode::kBadData,
         fmt::format("{}: {} is {}; allowed for a {} model: {}.", QuotePath(path), Quote(key),
                     found.dump(), family.name, allowed));
  };
  if (!json.is_object()) {
    Fail(ExitCode::kBadData, fmt::format("{} is no JSON object, as the config of a published model "
                                         "is.",
                                         QuotePath(path)));
  }
  ForeignConfig config;
  for (const auto& [key, value] : json.items()) {
    if (key == "model_type") {
      const bool known =
          value.is_string() &&
          std::ranges::find(family.models, value.get<std::string>()) != family.models.end();
      if (!known)
        refuse(key, value,
               Join(std::vector<std::string>(family.models.begin(), family.models.end()), ", "));
    } else if (OneOfNames(
                   key, {"layer_norm_epsilon", "layer_norm_eps", "rms_norm_eps", "norm_epsilon"})) {
      const bool same = value.is_number() && std::abs(value.get<double>() - kernels::kNormEps) <
                                                 1e-3 * kernels::kNormEps;
      if (!same) refuse(key, value, FormatNumber(kernels::kNormEps));
    } else if (key == "hidden_act" && family.name == "mamba") {
      if (value != "silu" && value != "swish") refuse(key, value, "\"silu\"");
    } else if (OneOfNames(key, {"ctx_len", "context_length"})) {
      const bool whole =
          value.is_number_integer() && value.get<double>() >= 1 && value.get<double>() <= 1e9;
      if (!whole) refuse(key, value, "a whole number from 1 to 1000000000");
      config.context = value.get<int64_t>();
    } else {
      config.ignored.push_back(key);
    }
  }
  return config;
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
