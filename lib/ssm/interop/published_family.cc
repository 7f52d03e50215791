#include "ssm/interop/published_family.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

// D channels, V ids, E inner channels, N state, R rank of dt, K taps of the convolution. (Gu and
// Dao 2023; names as in the checkpoints of state-spaces/mamba-* in the Hugging Face layout.)
constexpr PublishedTensor kMambaTensors[] = {
    {"backbone.embeddings.weight", "encoder.tokens.@.weight", "V D"},
    {"backbone.layers.*.norm.weight", "layers.*.norm.weight", "D", 0},
    {"backbone.layers.*.mixer.in_proj.weight", "layers.*.mixer.in_proj.weight", "2E D", 0},
    {"backbone.layers.*.mixer.conv1d.weight", "layers.*.mixer.conv1d.weight", "E 1 K", 0},
    {"backbone.layers.*.mixer.conv1d.bias", "layers.*.mixer.conv1d.bias", "E", 0},
    {"backbone.layers.*.mixer.x_proj.weight", "layers.*.mixer.x_proj.weight", "R+2N E", 0},
    {"backbone.layers.*.mixer.dt_proj.weight", "layers.*.mixer.dt_proj.weight", "E R", 0},
    {"backbone.layers.*.mixer.dt_proj.bias", "layers.*.mixer.dt_proj.bias", "E", 0},
    {"backbone.layers.*.mixer.A_log", "layers.*.mixer.A_log", "E N", 0},
    {"backbone.layers.*.mixer.D", "layers.*.mixer.D", "E", 0},
    {"backbone.layers.*.mixer.out_proj.weight", "layers.*.mixer.out_proj.weight", "D E", 0},
    {"backbone.norm_f.weight", "final_norm.weight", "D"},
    {"lm_head.weight", "readout.weight", "V D"},
};
constexpr PublishedAlias kMambaAliases[] = {
    {"backbone.embedding.weight", "backbone.embeddings.weight"},
};
constexpr std::string_view kMambaModels[] = {"mamba"};
constexpr std::string_view kMambaMixers[] = {"mamba"};

// D channels, V ids, H hidden channels. (Peng et al. 2023; names as in the checkpoints of
// BlinkDL/rwkv-4-*.)
constexpr PublishedTensor kRwkv4Tensors[] = {
    {"emb.weight", "encoder.tokens.@.weight", "V D"},
    {"blocks.0.ln0.weight", "encoder.norm.weight", "D"},
    {"blocks.0.ln0.bias", "encoder.norm.bias", "D"},
    {"blocks.*.ln1.weight", "layers.*.norm.weight", "D", 0},
    {"blocks.*.ln1.bias", "layers.*.norm.bias", "D", 0},
    {"blocks.*.att.time_decay", "layers.*.mixer.time_decay", "D", 0},
    {"blocks.*.att.time_first", "layers.*.mixer.time_first", "D", 0},
    {"blocks.*.att.time_mix_k", "layers.*.mixer.time_mix_k", "1 1 D", 0},
    {"blocks.*.att.time_mix_v", "layers.*.mixer.time_mix_v", "1 1 D", 0},
    {"blocks.*.att.time_mix_r", "layers.*.mixer.time_mix_r", "1 1 D", 0},
    {"blocks.*.att.key.weight", "layers.*.mixer.key.weight", "D D", 0},
    {"blocks.*.att.value.weight", "layers.*.mixer.value.weight", "D D", 0},
    {"blocks.*.att.receptance.weight", "layers.*.mixer.receptance.weight", "D D", 0},
    {"blocks.*.att.output.weight", "layers.*.mixer.output.weight", "D D", 0},
    {"blocks.*.ln2.weight", "layers.*.norm.weight", "D", 1},
    {"blocks.*.ln2.bias", "layers.*.norm.bias", "D", 1},
    {"blocks.*.ffn.time_mix_k", "layers.*.mixer.time_mix_k", "1 1 D", 1},
    {"blocks.*.ffn.time_mix_r", "layers.*.mixer.time_mix_r", "1 1 D", 1},
    {"blocks.*.ffn.key.weight", "layers.*.mixer.key.weight", "H D", 1},
    {"blocks.*.ffn.receptance.weight", "layers.*.mixer.receptance.weight", "D D", 1},
    {"blocks.*.ffn.value.weight", "layers.*.mixer.value.weight", "D H", 1},
    {"ln_out.weight", "final_norm.weight", "D"},
    {"ln_out.bias", "final_norm.bias", "D"},
    {"head.weight", "readout.weight", "V D"},
};
// The same models as Hugging Face has them, whose names say each word in full; the head's is the
// same.
constexpr PublishedAlias kRwkv4Aliases[] = {
    {"rwkv.embeddings.weight", "emb.weight"},
    {"rwkv.blocks.0.pre_ln.weight", "blocks.0.ln0.weight"},
    {"rwkv.blocks.0.pre_ln.bias", "blocks.0.ln0.bias"},
    {"rwkv.blocks.*.ln1.weight", "blocks.*.ln1.weight"},
    {"rwkv.blocks.*.ln1.bias", "blocks.*.ln1.bias"},
    {"rwkv.blocks.*.attention.time_decay", "blocks.*.att.time_decay"},
    {"rwkv.blocks.*.attention.time_first", "blocks.*.att.time_first"},
    {"rwkv.blocks.*.attention.time_mix_key", "blocks.*.att.time_mix_k"},
    {"rwkv.blocks.*.attention.time_mix_value", "blocks.*.att.time_mix_v"},
    {"rwkv.blocks.*.attention.time_mix_receptance", "blocks.*.att.time_mix_r"},
    {"rwkv.blocks.*.attention.key.weight", "blocks.*.att.key.weight"},
    {"rwkv.blocks.*.attention.value.weight", "blocks.*.att.value.weight"},
    {"rwkv.blocks.*.attention.receptance.weight", "blocks.*.att.receptance.weight"},
    {"rwkv.blocks.*.attention.output.weight", "blocks.*.att.output.weight"},
    {"rwkv.blocks.*.ln2.weight", "blocks.*.ln2.weight"},
    {"rwkv.blocks.*.ln2.bias", "blocks.*.ln2.bias"},
    {"rwkv.blocks.*.feed_forward.time_mix_key", "blocks.*.ffn.time_mix_k"},
    {"rwkv.blocks.*.feed_forward.time_mix_receptance", "blocks.*.ffn.time_mix_r"},
    {"rwkv.blocks.*.feed_forward.key.weight", "blocks.*.ffn.key.weight"},
    {"rwkv.blocks.*.feed_forward.receptance.weight", "blocks.*.ffn.receptance.weight"},
    {"rwkv.blocks.*.feed_forward.value.weight", "blocks.*.ffn.value.weight"},
    {"rwkv.ln_out.weight", "ln_out.weight"},
    {"rwkv.ln_out.bias", "ln_out.bias"},
};
constexpr std::string_view kRwkv4Models[] = {"rwkv", "rwkv4"};
constexpr std::string_view kRwkv4Mixers[] = {"rwkv4", "rwkv4_channel_mix"};

const PublishedFamily kFamilies[] = {
    {"mamba", kMambaModels, kMambaMixers, kMambaTensors, kMambaAliases, "backbone.layers.",
     "backbone.embeddings.weight", "lm_head.weight"},
    {"rwkv4", kRwkv4Models, kRwkv4Mixers, kRwkv4Tensors, kRwkv4Aliases, "blocks.", "emb.weight",
     "head.weight"},
};

std::string Replaced(std::string_view name, char mark, std::string_view with) {
  const size_t at = name.find(mark);
  if (at == std::string_view::npos) return std::string(name);
  return std::string(name.substr(0, at)) + std::string(with) + std::string(name.substr(at + 1));
}

/// `name` written as `to`, where it is one of `from`; the layer's number stays. Empty where it is
/// none.
std::string Rewritten(std::string_view name, std::string_view from, std::string_view to) {
  const size_t at = from.find('*');
  if (at == std::string_view::npos) return name == from ? std::string(to) : "";
  const std::string_view before = from.substr(0, at), after = from.substr(at + 1);
  if (name.size() <= before.size() + after.size()) return "";
  if (!name.starts_with(before) || !name.ends_with(after)) return "";
  const std::string_view number =
      name.substr(before.size(), name.size() - before.size() - after.size());
  const bool digits = std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  return digits ? Replaced(to, '*', number) : "";
}

std::vector<std::string> AxesOf(std::string_view axes, bool keep_ones) {
  std::vector<std::string> words = SplitText(axes, ' ');
  if (!keep_ones) std::erase(words, "1");
  return words;
}

/// "R+2N": a sum of sizes, each with a factor of one digit or none.
int64_t SizeUnder(const std::string& axis, const Sizes& sizes) {
  if (axis == "1") return 1;
  int64_t sum = 0;
  for (const std::string& term : SplitText(axis, '+')) {
    const auto found = sizes.find(term.back());
    SSM_CHECK(found != sizes.end(), "a size that no axis states alone: " + axis);
    sum += (term.size() > 1 ? term[0] - '0' : 1) * found->second;
  }
  return sum;
}

}  // namespace

std::span<const PublishedFamily> PublishedFamilies() { return kFamilies; }

const PublishedFamily* FindFamily(std::string_view name) {
  for (const PublishedFamily& family : kFamilies) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

std::string PublishedName(const PublishedFamily& family, std::string_view name) {
  for (const PublishedAlias& each : family.aliases) {
    if (std::string found = Rewritten(name, each.alias, each.published); !found.empty()) {
      return found;
    }
  }
  return std::string(name);
}

std::string AliasOf(const PublishedFamily& family, std::string_view name) {
  for (const PublishedAlias& each : family.aliases) {
    if (std::string found = Rewritten(name, each.published, each.alias); !found.empty()) {
      return found;
    }
  }
  return std::string(name);
}

std::vector<TensorPair> TensorsOf(const PublishedFamily& family, int64_t layers, bool tied,
                                  std::string_view token_field) {
  std::vector<TensorPair> pairs;
  const auto once = [&](const PublishedTensor& tensor) {
    pairs.push_back({std::string(tensor.published), Replaced(tensor.ours, '@', token_field),
                     std::string(tensor.shape)});
  };
  const auto of_layer = [&](const PublishedTensor& tensor, int64_t layer) {
    const int64_t block = layer * family.blocks_per_layer() + tensor.block;
    pairs.push_back({Replaced(tensor.published, '*', std::to_string(layer)),
                     Replaced(tensor.ours, '*', std::to_string(block)), std::string(tensor.shape)});
  };
  bool layers_done = false;
  for (const PublishedTensor& tensor : family.tensors) {
    if (tensor.block < 0) {
      if (!tied || tensor.published != family.head) once(tensor);
      continue;
    }
    if (layers_done) continue;
    layers_done = true;
    for (int64_t layer = 0; layer < layers; ++layer) {
      for (const PublishedTensor& each : family.tensors) {
        if (each.block >= 0) of_layer(each, layer);
      }
    }
  }
  return pairs;
}

void LearnSizes(std::string_view axes, const Shape& shape, bool keep_ones, Sizes& sizes) {
  const std::vector<std::string> words = AxesOf(axes, keep_ones);
  if (shape.rank() != std::ssize(words)) return;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() == 1 && words[i] != "1") {
      sizes.emplace(words[i][0], shape[static_cast<int>(i)]);
    }
  }
}

Shape ShapeUnder(std::string_view axes, bool keep_ones, const Sizes& sizes) {
  std::vector<int64_t> shape;
  for (const std::string& axis : AxesOf(axes, keep_ones)) shape.push_back(SizeUnder(axis, sizes));
  return Shape(shape.data(), static_cast<int>(shape.size()));
}

}  // namespace ssm
