#include "ssm/models/model_options.h"

#include <doctest/doctest.h>

#include "models/model_fixture.h"
#include "ssm/base/errors.h"
#include "support/error_of.h"

namespace ssm {
namespace {

using test::LeakyModel;

TEST_CASE("defaults are the documented ones") {
  const ModelOptions options = LeakyModel();
  CHECK(options.final_norm == NormKind::kRms);
  CHECK(options.ends == LinearStart::kDrawn);
  CHECK(options.layers.size() == 2);
  const BlockOptions& block = options.layers.at(0);
  CHECK(block.norm == NormKind::kRms);
  CHECK(block.residual);
  CHECK(block.activation == ActivationKind::kGelu);
  CHECK(block.output == OutputKind::kGlu);
  CHECK(block.dropout == 0);
  CHECK(block.has_mlp);
  CHECK(block.mlp.expand == 2);
  CHECK(block.mlp.gated);
  CHECK(block.mlp.activation == ActivationKind::kSilu);
  CHECK(block.mixer.type() == "leaky");
}

TEST_CASE("every word of every choice is read") {
  for (const char* norm : {"none", "layer", "rms"}) LeakyModel({std::string("block.norm=") + norm});
  for (const char* word : {"none", "gelu", "silu", "relu", "tanh", "sigmoid"}) {
    LeakyModel({std::string("block.activation=") + word});
    LeakyModel({std::string("block.mlp.activation=") + word});
  }
  for (const char* word : {"none", "linear", "glu"}) {
    LeakyModel({std::string("block.output=") + word});
  }
  for (const char* word : {"drawn", "identity"}) LeakyModel({std::string("ends=") + word});
  CHECK(!LeakyModel({"block.mlp=none"}).layers.at(1).has_mlp);
  const ModelOptions bare = LeakyModel({"block.norm=none", "block.residual=false"});
  CHECK(!bare.layers.at(1).residual);
}

TEST_CASE("hidden width is rounded, and must be at least 1") {
  CHECK(LeakyModel({"block.mlp.expand=1.4"}).layers.at(0).mlp.Hidden(6) == 8);
  CHECK_THROWS_AS(LeakyModel({"block.mlp.expand=0.01"}), Error);
  CHECK_THROWS_AS(LeakyModel({"block.mlp.expand=0"}), Error);
  CHECK_NOTHROW(LeakyModel({"block.mlp.expand=0.1"}));
}

TEST_CASE("what does not fit d_model is told where it was written, and once") {
  const auto faults = [](const std::string& block_and_layers) {
    return test::ErrorOf([&] {
             ModelOptions options(test::LeakyRegistry());
             ReadConfigText("{\"d_model\": 6,\n" + block_and_layers + "}", "c.json", {}, options);
           })
        .message;
  };
  const std::string sentence =
      "the hidden width, expand * d_model rounded, is 0; it must be at least 1";
  const std::string mixer = R"("mixer": {"type": "leaky"}, )";
  const std::string narrow = R"("block": {)" + mixer + R"("mlp": {"expand": 0.01}},)" + "\n";
  // All layers take it from the block.
  const std::string in_block = "c.json:2:57: /layers/0/mlp/expand: " + sentence;
  CHECK(faults(narrow + R"("layers": 40)") == in_block);
  CHECK(faults(narrow + R"("layers": [{}, {"dropout": 0.5}])") == in_block);
  // One has its own, and another is right.
  CHECK(faults(narrow + R"("layers": [{}, {"mlp": {"expand": 0.02}}, {"mlp": "none"}])") ==
        in_block + "\nc.json:3:35: /layers/1/mlp/expand: " + sentence);
  // Two that were written alike are two.
  CHECK(faults(R"("block": {"mixer": {"type": "leaky"}},)"
               "\n"
               R"("layers": [{"mlp": {"expand": 0.01}}, {"mlp": {"expand": 0.01}}])") ==
        "c.json:3:31: /layers/0/mlp/expand: " + sentence +
            "\nc.json:3:58: /layers/1/mlp/expand: " + sentence);
}

TEST_CASE("a layer knows where it stands, and where among those of its type") {
  MixerRegistry registry;
  RegisterMixers(registry);
  ModelOptions options(registry);
  ReadConfigText(R"({"d_model": 6, "layers": [{"mixer": {"type": "gru"}},
                     {"mixer": {"type": "rnn"}}, {"mixer": {"type": "gru"}}]})",
                 "the test's model", {}, options);
  const auto stands = [&](int64_t layer) {
    const MixerContext c = options.ContextOf(layer);
    return std::vector<int64_t>{c.d_model, c.layer, c.layers, c.layer_of_type, c.layers_of_type};
  };
  CHECK(stands(0) == std::vector<int64_t>{6, 0, 3, 0, 2});
  CHECK(stands(1) == std::vector<int64_t>{6, 1, 3, 0, 1});
  CHECK(stands(2) == std::vector<int64_t>{6, 2, 3, 1, 2});
}

TEST_CASE("values out of range are refused") {
  for (const char* bad :
       {"d_model=0", "d_model=65537", "layers=0", "block.dropout=1", "block.dropout=-0.1",
        "block.norm=batch", "final_norm=1", "encoder_norm=batch", "readout=none"}) {
    CAPTURE(bad);
    try {
      LeakyModel({bad});
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::kBadConfig);
    }
  }
}

}  // namespace
}  // namespace ssm
