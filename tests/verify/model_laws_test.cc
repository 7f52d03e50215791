// Every law over whole models of several shapes.
#include <doctest/doctest.h>

#include "verify/law_outcomes.h"
#include "verify/test_mixers.h"

namespace ssm::test {
namespace {

struct ModelVariant {
  const char* json;
  ModelIo io;
};

std::vector<ModelVariant> ModelVariants() {
  const ModelIo reals{.reals = 2, .tokens = {}, .outputs = 3};
  const ModelIo tokens{.tokens = {{"word", 7}, {"place", 3}}, .outputs = 4};
  const ModelIo both{.reals = 1, .tokens = {{"word", 5}}, .outputs = 1};
  return {
      {R"({"d_model": 6, "layers": 2, "block": {"mixer": {"type": "s4d", "d_state": 4}}})", both},
      {R"({"d_model": 5, "layers": 1, "final_norm": "layer", "block": {
           "norm": "layer", "activation": "silu", "output": "linear", "mlp": "none",
           "mixer": {"type": "s4d", "d_state": 4, "rule": "bilinear", "evaluation": "fft"}}})",
       tokens},
      {R"({"d_model": 4, "layers": 1, "final_norm": "none", "block": {
           "norm": "none", "residual": false, "activation": "none", "output": "none",
           "mlp": "none", "mixer": {"type": "s4d", "d_state": 1, "init": "real"}}})",
       reals},
      {R"({"d_model": 6, "layers": [{}, {"mixer": {"type": "gru"}}, {"mixer": {"type": "rnn"}}],
           "block": {"mixer": {"type": "lstm", "d_hidden": 5, "forget_bias": 1}}})",
       both},
      {R"({"d_model": 8, "layers": [{}, {"mixer": {"cache": {"type": "window", "window": 4}}}],
           "block": {"mixer": {"type": "attention", "heads": 2}}})",
       both},
      {R"({"d_model": 4, "layers": [{}, {"mixer": {"type": "tail", "taps": 3}},
                                    {"norm": "none", "mixer": {"type": "leaky", "gated": true}}],
           "block": {"activation": "tanh", "output": "glu",
                     "mlp": {"expand": 1.5, "gated": false, "activation": "gelu"},
                     "mixer": {"type": "leaky"}}})",
       reals},
      {R"({"d_model": 5, "layers": 1, "encoder_norm": "layer", "readout": "tied",
           "block": {"mixer": {"type": "leaky"}}})",
       {.tokens = {{"word", 7}}, .outputs = 7}},
      {R"({"d_model": 4, "layers": 1, "encoder_norm": "rms", "readout": "unbiased",
           "block": {"mixer": {"type": "leaky"}}})",
       both},
  };
}

TEST_CASE("models of every block shape keep every law, in double and in float") {
  const MixerRegistry registry = TestMixers();
  for (const ModelVariant& variant : ModelVariants()) {
    CAPTURE(variant.json);
    const auto options = MakeModel(registry, variant.json);
    CheckAllPassed(CheckModel<double>(*options, variant.io, variant.json, TestRequest()));
    CheckAllPassed(CheckModel<float>(*options, variant.io, variant.json, TestRequest()));
  }
}

TEST_CASE("a model is asked every law but those of one mixer") {
  const MixerRegistry registry = TestMixers();
  const auto options = MakeModel(registry, ModelVariants()[2].json);
  LawRequest request = TestRequest();
  request.T = 2;
  const std::set<std::string> expected = {"split",  "step",  "causal",  "resume",
                                          "reset",  "batch", "budget",  "no_allocation",
                                          "stress", "init",  "gradient"};
  CHECK(Asked(CheckModel<double>(*options, ModelVariants()[2].io, "model", request)) == expected);
}

TEST_CASE("a model that rounds to a grid is asked in double, and says so in float") {
  const MixerRegistry registry = TestMixers();
  const auto options = MakeModel(registry, R"({"d_model": 4, "layers": 2, "block": {"mixer": {
      "type": "attention", "heads": 2, "cache": {"type": "int8"}}}})");
  const ModelIo io{.reals = 1, .tokens = {}, .outputs = 1};
  CheckAllPassed(CheckModel<double>(*options, io, "int8", TestRequest()));
  const std::vector<LawResult> single = CheckModel<float>(*options, io, "int8", TestRequest());
  REQUIRE(single.size() == 1);
  CHECK_FALSE(single[0].asked);
  CHECK(ToString(single[0]).find("not asked") != std::string::npos);
  CHECK(ToString(single[0]).find('\n') == std::string::npos);
  LawRequest threads = TestRequest();
  threads.law = "threads";  // none of a model's
  CHECK(CheckModel<float>(*options, io, "int8", threads).empty());
}

}  // namespace
}  // namespace ssm::test
