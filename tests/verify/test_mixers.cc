#include "verify/test_mixers.h"

#include "ssm/base/errors.h"
#include "ssm/config/config_file.h"
#include "support/leaky_mixer.h"
#include "support/tail_mixer.h"

namespace ssm::test {

MixerRegistry TestMixers() {
  MixerRegistry registry;
  RegisterMixers(registry);
  registry.Add<LeakyOptions>("leaky", "a leaky integrator with a learned start");
  registry.Add<TailOptions>("tail", "a causal depthwise convolution");
  return registry;
}

std::vector<MixerVariant> MixerVariants() {
  return {
      {"leaky", "{}"},
      {"leaky", R"({"gated": true})"},
      {"tail", R"({"taps": 1})"},
      {"tail", R"({"taps": 4})"},
      {"s4d", R"({"d_state": 8})"},
      {"s4d", R"({"d_state": 6, "init": "inv", "rule": "bilinear"})"},
      {"s4d", R"({"d_state": 6, "init": "legs", "evaluation": "scan"})"},
      {"s4d", R"({"d_state": 6, "init": "quad", "dt": "shared"})"},
      {"s4d", R"({"d_state": 18, "init": "foutd", "dt": "shared"})"},
      {"s4d", R"({"d_state": 4, "init": "rand"})"},
      {"s4d", R"({"d_state": 20})"},
      {"s4d", R"({"d_state": 18, "init": "real", "rule": "bilinear"})"},
      {"s4d", R"({"d_state": 6, "evaluation": "fft"})"},
      {"s4d", R"({"d_state": 6, "rule": "bilinear", "evaluation": "fft"})"},
      {"s4d", R"({"d_state": 3, "init": "real"})"},
      {"s4d", R"({"d_state": 3, "init": "real", "evaluation": "fft"})"},
      {"s4", R"({"d_state": 8})"},
      {"s4", R"({"d_state": 20})"},
      {"s4", R"({"d_state": 6, "evaluation": "fft"})"},
      {"s4", R"({"d_state": 20, "evaluation": "scan"})"},
      {"s4", R"({"d_state": 2, "evaluation": "fft"})"},
      {"s4", R"({"d_state": 6, "rule": "zoh"})"},
      {"s4", R"({"d_state": 4, "rule": "zoh", "evaluation": "fft"})"},
      {"s4", R"({"d_state": 8, "rule": "zoh", "evaluation": "scan"})"},
      {"s5", R"({"d_state": 8})"},
      {"s5", R"({"d_state": 12, "blocks": 3, "rule": "bilinear"})"},
      {"s5", R"({"d_state": 2})"},
      {"lti", R"({"d_state": 5})"},
      {"lti", R"({"d_state": 4, "rule": "bilinear", "margin": 0.3, "dt_min": 0.1, "dt_max": 0.5})"},
      {"lti", R"({"d_state": 1, "rule": "backward_euler", "dt_min": 0.1, "dt_max": 0.5})"},
      {"lti", R"({"file": "tests/verify/tanks.json", "dt_min": 0.2, "dt_max": 0.4})", 4},
      {"lti", R"({"file": "tests/verify/stepped_tanks.json", "d_state": 3})", 4},
      {"lru", R"({"d_state": 5})"},
      {"lru", R"({"d_state": 1, "r_min": 0.1, "r_max": 0.5, "max_phase": 6.28})"},
      {"hippo", R"({"d_state": 6})"},
      {"hippo", R"({"d_state": 3, "memories": 2, "rule": "backward_euler"})"},
      {"hippo", R"({"d_state": 2, "rule": "forward_euler"})"},
      {"hippo", R"({"d_state": 4, "start": "first_sample"})"},
      {"hippo", R"({"d_state": 4, "memories": 2, "rule": "zoh"})"},
      {"hippo", R"({"d_state": 3, "rule": "zoh", "start": "first_sample", "cell": "hippo_rnn"})"},
      {"hippo", R"({"measure": "legt", "d_state": 6, "memories": 2, "timescale": 20})"},
      {"hippo", R"({"measure": "lmu", "d_state": 5, "timescale": 9, "rule": "zoh"})"},
      {"hippo", R"({"measure": "lmu", "d_state": 3, "learn_dt": false})"},
      {"hippo", R"({"measure": "lagt", "d_state": 4, "timescale": 8, "rule": "zoh"})"},
      {"hippo", R"({"measure": "fout", "d_state": 4, "memories": 3, "timescale": 10})"},
      {"hippo", R"({"d_state": 4, "cell": "lmu"})"},
      {"hippo",
       R"({"measure": "lmu", "d_state": 6, "timescale": 12, "rule": "zoh", "learn_dt": false, )"
       R"("cell": "lmu", "d_hidden": 7})"},
      {"hippo",
       R"({"measure": "legt", "d_state": 3, "memories": 2, "timescale": 12, "cell": "lmu"})"},
      {"hippo", R"({"d_state": 5, "memories": 2, "cell": "hippo_rnn"})"},
      {"hippo",
       R"({"measure": "lagt", "d_state": 4, "timescale": 6, "cell": "hippo_rnn", "d_hidden": 3})"},
      {"rnn", "{}"},
      {"rnn", R"({"d_hidden": 3})"},
      {"gru", "{}"},
      {"gru", R"({"d_hidden": 9})"},
      {"lstm", "{}"},
      {"lstm", R"({"d_hidden": 3, "forget_bias": 1})"},
      {"min_gru", "{}"},
      {"min_gru", R"({"d_hidden": 7})"},
      {"mamba", R"({"d_state": 4})"},
      {"mamba", R"({"d_state": 2, "expand": 4, "d_conv": 1})"},
      {"mamba", R"({"d_state": 3, "expand": 1, "rule": "zoh", "d_conv": 8, "dt_rank": 3})"},
      {"mamba", R"({"d_state": 4, "complex": true, "d_conv": 2})"},
      {"mamba", R"({"d_state": 2, "complex": true, "rule": "zoh"})"},
      {"mamba", R"({"d_state": 3, "eigenvalues": "signed", "dt_min": 0.1, "dt_max": 1})"},
      {"mamba", R"({"d_state": 2, "dt_limit_min": 0.01, "dt_limit_max": 0.02})"},
      {"mamba", R"({"d_state": 4, "selective": false})"},
      {"mamba", R"({"d_state": 4, "selective": false, "complex": true, "rule": "zoh"})"},
      {"mamba", R"({"d_state": 2, "selective": false, "eigenvalues": "signed"})"},
      {"mamba2", R"({"d_state": 3, "chunk": 20})"},
      {"mamba2", R"({"head_dim": 2, "d_state": 3, "chunk": 7})"},
      {"mamba2",
       R"({"expand": 1, "head_dim": 1, "d_state": 2, "groups": 2, "d_conv": 1, "chunk": 64})", 4},
      {"mamba2",
       R"({"head_dim": 2, "d_state": 4, "d_conv": 2, "dt_limit_min": 0.01, "dt_limit_max": 0.05, )"
       R"("a_min": 0.5, "a_max": 2, "chunk": 32})",
       4},
      {"linear_attention", R"({"heads": 2, "chunk": 5})", 4},
      {"linear_attention", R"({"heads": 1})"},
      {"linear_attention", R"({"heads": 1, "d_key": 3, "features": "relu", "chunk": 20})"},
      {"linear_attention", R"({"heads": 2, "features": "squared_relu", "eps": 0.01})", 4},
      {"linear_attention", R"({"heads": 2, "features": "identity", "normalised": false})", 6},
      {"linear_attention",
       R"({"heads": 1, "features": "identity", "allow_signed": true, "eps": 0.5, "chunk": 16})"},
      {"linear_attention",
       R"({"heads": 2, "d_key": 2, "features": "taylor2", "normalised": false, "chunk": 8})", 4},
      {"linear_attention", R"({"heads": 1, "d_key": 2, "features": "taylor2"})"},
      {"linear_attention", R"({"heads": 2, "features": "exp", "chunk": 18})", 6},
      {"retention", R"({"heads": 2, "chunk": 7})", 8},
      {"retention", R"({"heads": 1, "expand_v": 1, "rotary_base": 10})", 4},
      {"gla", R"({"heads": 1, "rank": 3, "chunk": 20})", 4},
      {"gla", R"({"heads": 2, "expand_k": 1, "temperature": 1})", 6},
      {"delta_net", R"({"heads": 2, "d_key": 3, "d_value": 2, "chunk": 16})"},
      {"delta_net", R"({"heads": 1, "d_conv": 1, "beta_range": 2, "chunk": 1})"},
      {"delta_net", R"({"heads": 1, "d_conv": 2, "chunk": 64, "norm": false})"},
      {"delta_net", R"({"d_conv": 8, "d_value": 3, "chunk": 5, "norm": false})", 4},
      {"gated_delta_net", R"({"heads": 2, "d_key": 2, "d_value": 3, "chunk": 16})"},
      {"gated_delta_net",
       R"({"heads": 2, "d_key": 3, "d_value": 4, "d_conv": 1, "beta_range": 2, "chunk": 7})"},
      {"gated_delta_net",
       R"({"heads": 3, "d_key": 2, "d_value": 2, "d_conv": 3, "dt_max": 0.5, "norm": false})"},
      {"rwkv4", "{}"},
      {"rwkv4", R"({"zero_init": false})"},
      {"rwkv4", R"({"zero_init": false})", 1},
      {"rwkv4", R"({"zero_init": false})", 17},
      {"rwkv4_channel_mix", "{}"},
      {"rwkv4_channel_mix", R"({"zero_init": false})"},
      {"rwkv4_channel_mix", R"({"zero_init": false, "expand": 0.6})", 3},
      {"attention", R"({"heads": 2})", 16},
      {"attention", R"({"heads": 1, "positions": "none"})"},
      {"attention", R"({"heads": 2, "cache": {"type": "window", "window": 1}})", 4},
      {"attention", R"({"heads": 2, "cache": {"type": "window", "window": 3}, "rotary_base": 10})",
       8},
      {"attention",
       R"({"heads": 4, "positions": "none", "cache": {"type": "window", "window": 3}})", 4},
      {"attention", R"({"heads": 1, "cache": {"type": "window", "window": 8}})", 6},
      {"attention", R"({"heads": 1, "cache": {"type": "window", "window": 70}})", 16},
      {"attention",
       R"({"heads": 1, "positions": "none", "cache": {"type": "window", "window": 8}})"},
      {"attention", R"({"heads": 2, "positions": "alibi"})", 6},
      {"attention",
       R"({"heads": 2, "positions": "alibi", "cache": {"type": "window", "window": 5}})", 6},
      {"attention", R"({"heads": 1, "positions": "learned_relative", "max_distance": 6})"},
      {"attention",
       R"({"heads": 2, "positions": "learned_relative", "cache": {"type": "window", "window": 9}})",
       4},
      {"attention", R"({"heads": 2, "cache": {"type": "sink_window", "sinks": 2, "window": 3}})",
       8},
      {"attention", R"({"heads": 1, "positions": "none", )"
                    R"("cache": {"type": "sink_window", "sinks": 5, "window": 1}})"},
      {"attention",
       R"({"heads": 2, "positions": "alibi", )"
       R"("cache": {"type": "sink_window", "sinks": 1, "window": 4}})",
       6},
      {"attention",
       R"({"heads": 2, "positions": "learned_relative", "max_distance": 9, )"
       R"("cache": {"type": "sink_window", "sinks": 3, "window": 2}})",
       4},
      {"attention", R"({"heads": 2, "cache": {"type": "pooled", "window": 3, "every": 3}})", 8},
      {"attention",
       R"({"heads": 1, "rotary_base": 20, )"
       R"("cache": {"type": "pooled", "window": 1, "every": 2, "pool": "conv"}})",
       4},
      {"attention", R"({"heads": 1, "positions": "none", )"
                    R"("cache": {"type": "pooled", "window": 2, "every": 5}})"},
      {"attention",
       R"({"heads": 2, "positions": "alibi", )"
       R"("cache": {"type": "pooled", "window": 4, "every": 2, "pool": "conv"}})",
       6},
      {"attention", R"({"heads": 1, "positions": "learned_relative", "max_distance": 9, )"
                    R"("cache": {"type": "pooled", "window": 2, "every": 3}})"},
      {"attention", R"({"heads": 2, "cache": {"type": "int8"}})", 8},
      {"attention", R"({"heads": 1, "positions": "none", "cache": {"type": "int8"}})"},
      {"attention", R"({"heads": 2, "positions": "alibi", "cache": {"type": "int8"}})", 6},
      {"attention",
       R"({"heads": 1, "positions": "learned_relative", "max_distance": 9, )"
       R"("cache": {"type": "int8"}})",
       3},
      {"attention", R"({"heads": 2, "cache": {"type": "topk", "window": 3, "kept": 2}})", 8},
      {"attention",
       R"({"heads": 1, "positions": "none", "cache": {"type": "topk", "window": 1, "kept": 3}})"},
      {"attention",
       R"({"heads": 2, "positions": "alibi", )"
       R"("cache": {"type": "topk", "window": 4, "kept": 1}})",
       6},
      {"attention", R"({"heads": 1, "positions": "learned_relative", "max_distance": 9, )"
                    R"("cache": {"type": "topk", "window": 2, "kept": 5}})"},
      {"transformer_xl", R"({"heads": 2})", 6},
      {"transformer_xl", R"({"heads": 1, "segment": 4, "mem_len": 6})"},
      {"transformer_xl", R"({"heads": 4, "segment": 5, "mem_len": 3, "clamp_len": 4})", 4},
      {"transformer_xl", R"({"heads": 1, "segment": 3, "mem_len": 0})"},
      {"transformer_xl", R"({"heads": 2, "segment": 1, "mem_len": 0})", 4},
      {"transformer_xl", R"({"heads": 2, "segment": 1, "mem_len": 5})", 4},
      {"transformer_xl",
       R"({"heads": 1, "segment": 4, "mem_len": 6, "keys": "same_length", "clamp_len": 3})", 4},
      {"transformer_xl", R"({"heads": 1, "segment": 8, "mem_len": 1, "keys": "same_length"})"},
      {"block_recurrent", R"({"heads": 2, "states": 3})", 6},
      {"block_recurrent", R"({"heads": 1, "window": 4, "states": 2, "sees_itself": true})"},
      {"block_recurrent", R"({"heads": 2, "window": 1, "states": 1, "gate": "lstm"})", 4},
      {"block_recurrent",
       R"({"heads": 2, "window": 3, "states": 2, "gate": "gru", )"
       R"("structure": "dual", "d_hidden": 5})",
       4},
      {"block_recurrent",
       R"({"heads": 2, "window": 5, "states": 3, "gate": "lstm", )"
       R"("structure": "single"})",
       4},
      {"block_recurrent",
       R"({"heads": 1, "window": 1, "states": 2, "structure": "dual", )"
       R"("d_hidden": 3, "sees_itself": true})",
       4},
  };
}

std::unique_ptr<MixerOptions> MakeMixer(const MixerRegistry& registry,
                                        const MixerVariant& variant) {
  const MixerRegistry::Entry* entry = registry.Find(variant.type);
  SSM_CHECK(entry != nullptr, "no mixer of type " + variant.type);
  std::unique_ptr<MixerOptions> options = entry->make();
  ReadConfigText(variant.options, variant.type, {}, *options);
  options->Load(SSM_SOURCE_DIR, {.d_model = variant.d_model});
  return options;
}

std::unique_ptr<ModelOptions> MakeModel(const MixerRegistry& registry, const std::string& json) {
  auto options = std::make_unique<ModelOptions>(registry);
  ReadConfigText(json, "model", {}, *options);
  options->Load(SSM_SOURCE_DIR);
  return options;
}

}  // namespace ssm::test
