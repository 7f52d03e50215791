#include "ssm/config/field_reader.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "config/read_sample.h"

namespace ssm::test {
namespace {

TEST_CASE("every kind of field") {
  const SampleConfig config = ReadSample(R"({
    "name": "x", "seed": {"data": 5},
    "model": {"d_model": 1e2,
              "block": {"norm": "layer", "residual": false, "dropout": 0.25, "mlp": {"expand": 3},
                        "mixer": {"type": "window", "cache": {"window": 7}}},
              "layers": [{}, {"mlp": "none"}]},
    "teacher": {"r_max": 1},
    "train": {"steps": 10, "warmup": 0, "clip": "inf", "groups": {"a": {"lr": 0}}, "init_from": "r",
              "betas": [0, 0.5]},
    "eval": {"lengths": [1, 2], "tags": ["", "t"], "horizon": "-inf"}})")
                                  .config;
  CHECK(config.name == "x");
  CHECK(config.seed.init == 1);
  CHECK(config.seed.data == 5);
  CHECK(config.model.d_model == 100);
  REQUIRE(config.model.layers.size() == 2);
  const BlockOptions& first = config.model.layers.at(0);
  CHECK(first.norm == Norm::kLayer);
  CHECK(!first.residual);
  CHECK(first.dropout == 0.25);
  CHECK(first.has_mlp);
  CHECK(first.mlp.expand == 3);
  CHECK(first.mlp.gated);
  CHECK(MixerOf<WindowOptions>(first).cache.window == 7);
  CHECK(!config.model.layers.at(1).has_mlp);
  CHECK(config.teacher.type() == "lru");
  CHECK(config.train.steps == 10);
  CHECK(config.train.clip == std::numeric_limits<double>::infinity());
  CHECK(config.train.groups.Find("a")->lr == 0);
  CHECK(config.train.groups.Find("ssm")->lr == 0.001);
  CHECK(config.train.init_from == "r");
  CHECK(config.train.betas == std::vector<double>{0, 0.5});
  CHECK(config.eval.lengths == std::vector<int64_t>{1, 2});
  CHECK(config.eval.tags == std::vector<std::string>{"", "t"});
  CHECK(config.eval.horizon == -std::numeric_limits<double>::infinity());
}

TEST_CASE("what is not said stays at its default") {
  const SampleConfig config = ReadSample(kLeast).config;
  CHECK(config.model.layers.size() == 1);
  CHECK(config.train.steps == 2000);
  CHECK(!config.train.init_from);
}

TEST_CASE("one integer for all members of an object") {
  CHECK(WithOverrides({"seed=3"}).config.seed.eval == 3);
  CHECK(OverrideFault({"seed=-3"}).message ==
        "override seed=-3: /seed: found -3; allowed: an integer >= 0");
  CHECK(OverrideFault({"seed=x"}).message ==
        "override seed=x: /seed: found x; allowed: an integer, or an object with init, data, eval");
}

// A config with one member of "train", "eval" or "model" replaced, and what reading it says.
std::string Says(const std::string& object, const std::string& member) {
  const std::string least = R"("model": {"block": {"mixer": {"type": "s4d"}})";
  const std::string text = object == "model"
                               ? "{" + least + ", " + member + "}}"
                               : "{" + least + "}, \"" + object + "\": {" + member + "}}";
  const Thrown thrown = SampleFault(text);
  CHECK(thrown.code == ExitCode::kBadConfig);
  const size_t pointer = thrown.message.find(": /");
  return pointer == std::string::npos ? thrown.message : thrown.message.substr(pointer + 2);
}

TEST_CASE("each kind refuses what it is not, in its words") {
  CHECK(Says("train", R"("steps": "64")") ==
        "/train/steps: found \"64\"; allowed: an integer >= 1; write 64 without quotes");
  CHECK(Says("train", R"("steps": true)") == "/train/steps: found true; allowed: an integer >= 1");
  CHECK(Says("train", R"("steps": 1.50)") == "/train/steps: found 1.50; allowed: an integer >= 1");
  CHECK(Says("train", R"("steps": 0)") == "/train/steps: found 0; allowed: an integer >= 1");
  CHECK(Says("train", R"("steps": 99999999999999999999)") ==
        "/train/steps: found 99999999999999999999; allowed: an integer >= 1 up to "
        "9223372036854775807");
  CHECK(Says("train", R"("steps": null)") ==
        "/train/steps: found null; allowed: an integer >= 1; null only takes away what a \"base\" "
        "has set: for the default, leave the key out");
  CHECK(Says("train", R"("steps": [3])") == "/train/steps: found [3]; allowed: an integer >= 1");
  CHECK(Says("train", R"("lr": "0.1")") ==
        "/train/lr: found \"0.1\"; allowed: a number > 0; write 0.1 without quotes");
  CHECK(Says("train", R"("lr": 0.0)") == "/train/lr: found 0.0; allowed: a number > 0");
  CHECK(Says("train", R"("lr": "inf")") == "/train/lr: found \"inf\"; allowed: a number > 0");
  CHECK(Says("train", R"("clip": "-inf")") ==
        "/train/clip: found \"-inf\"; allowed: a number > 0 or \"inf\"");
  CHECK(Says("train", R"("init_from": 3)") ==
        "/train/init_from: found 3; allowed: a string or null; write \"3\"");
  CHECK(Says("train", R"("betas": 0.9)") ==
        "/train/betas: found 0.9; allowed: a list of numbers in [0, 1); write [0.9]");
  CHECK(Says("train", R"("betas": [0.9, null])") ==
        "/train/betas/1: found null; allowed: a number in [0, 1); null only takes away what a "
        "\"base\" has set: for the default, leave the key out");
  CHECK(Says("train", R"("groups": [])") ==
        "/train/groups: found []; allowed: an object of objects, each under a name of yours");
  CHECK(Says("train", R"("groups": {"a": 3})") == "/train/groups/a: found 3; allowed: an object");
  CHECK(
      Says("train", R"("groups": {"a": {"rl": 3}})").starts_with("/train/groups/a/rl: found the"));
  CHECK(Says("eval", R"("lengths": ["1"])") ==
        "/eval/lengths/0: found \"1\"; allowed: an integer from 1 to 1000000; write 1 without "
        "quotes");
  CHECK(Says("eval", R"("tags": [1])") == "/eval/tags/0: found 1; allowed: a string; write \"1\"");
  CHECK(Says("model", R"("layers": 0)") ==
        "/model/layers: found 0; allowed: an integer from 1 to 64, or a list of as many objects "
        "that patch the block");
  CHECK(Says("model", R"("layers": -2)").starts_with("/model/layers: found -2; allowed:"));
  CHECK(Says("model", R"("layers": 1.5)").starts_with("/model/layers: found 1.5; allowed:"));
  CHECK(Says("model", R"("layers": "2")").starts_with("/model/layers: found \"2\"; allowed:"));
  CHECK(Says("model", R"("layers": [])").starts_with("/model/layers: found a list of 0; allowed:"));
  CHECK(Says("model", R"("layers": [3])") ==
        "/model/layers/0: found 3; allowed: an object that patches the block");
  CHECK(Says("model", R"("layers": [{"norm": "x"}])") ==
        "/model/layers/0/norm: found \"x\"; allowed: \"none\", \"layer\", \"rms\"");
}

TEST_CASE("parts of a block") {
  const auto says = [](const std::string& member) {
    const Thrown thrown = SampleFault(R"({"model": {"layers": 3, "block": {)" + member + "}}}");
    return thrown.message.substr(thrown.message.find(": /") + 2);
  };
  const std::string mixer = R"("mixer": {"type": "s4d"}, )";
  CHECK(
      says(mixer + R"("residual": "true")") ==
      "/model/block/residual: found \"true\"; allowed: true or false; write true, without quotes");
  CHECK(says(mixer + R"("residual": 1)") ==
        "/model/block/residual: found 1; allowed: true or false; write true");
  CHECK(says(mixer + R"("norm": "RMS")") ==
        "/model/block/norm: found \"RMS\"; allowed: \"none\", \"layer\", \"rms\"; did you mean "
        "\"rms\"?");
  CHECK(says(mixer + R"("mlp": "None")") ==
        "/model/block/mlp: found \"None\"; allowed: an object or \"none\"; did you mean \"none\"?");
  CHECK(says(mixer + R"("mlp": false)") ==
        "/model/block/mlp: found false; allowed: an object or \"none\"; write \"none\"");
  CHECK(says(R"("mixer": "s4d")") ==
        "/model/block/mixer: found \"s4d\"; allowed: an object with a \"type\": \"s4d\", \"lru\", "
        "\"window\"; write {\"type\": \"s4d\"}");
  CHECK(
      says(R"("mixer": {"type": "s4"})") ==
      "/model/block/mixer/type: found \"s4\"; allowed: \"s4d\", \"lru\", \"window\"; did you mean "
      "\"s4d\"?");
  CHECK(says(R"("mixer": {"type": ""})") ==
        "/model/block/mixer/type: found \"\"; allowed: \"s4d\", \"lru\", \"window\"");
  CHECK(says(R"("mixer": {"type": 4})") ==
        "/model/block/mixer/type: found 4; allowed: \"s4d\", \"lru\", \"window\"");
  CHECK(says(R"("mixer": {"tpye": "s4d"})") ==
        "/model/block/mixer/type: found no \"type\"; allowed: \"s4d\", \"lru\", \"window\"; is "
        "\"tpye\" meant to be \"type\"?");
  CHECK(says(R"("norm": "rms")") ==
        "/model/block/mixer: found nothing; allowed: an object with a \"type\": \"s4d\", \"lru\", "
        "\"window\"");
  CHECK(says(R"("mixer": {"type": "lru", "dt_min": 1})") ==
        "/model/block/mixer/dt_min: found the unknown key \"dt_min\": 1; allowed: type, d_state, "
        "init, r_min, r_max; \"dt_min\" is a key of the type \"s4d\"");
}

TEST_CASE("a key that lives elsewhere is found there") {
  CHECK(SampleFault(R"({"d_state": 4, "model": {"block": {"mixer": {"type": "s4d"}}}})").message ==
        "c.json:1:2: /d_state: found the unknown key \"d_state\": 4; allowed: name, seed, model, "
        "teacher, train, eval; did you mean \"model.block.mixer.d_state\" or \"teacher.d_state\"?");
  CHECK(OverrideFault({"mixer.d_state=4"})
            .Says("/mixer: found the unknown key \"mixer\": {\"d_state\": 4}; allowed: name, seed, "
                  "model, teacher, train, eval; did you mean \"model.block.mixer\"?"));
  CHECK(OverrideFault({"eval.warm_up=4"}).Says("did you mean \"train.warmup\"?"));
  CHECK(OverrideFault({"train.horizn=4"}).Says("did you mean \"eval.horizon\"?"));
}

TEST_CASE("layers may each bring the type the block leaves open") {
  const SampleConfig config = ReadSample(R"({"model": {"block": {"norm": "none"},
                               "layers": [{"mixer": {"type": "s4d"}}, {"mixer": {"type": "lru"}}]}})")
                                  .config;
  CHECK(config.model.layers.at(1).mixer.type() == "lru");
  CHECK(config.model.layers.at(1).norm == Norm::kNone);
  CHECK(SampleFault(R"({"model": {"layers": [{"mixer": {"type": "s4d"}}, {}]}})").message ==
        "c.json:1:11: /model/layers/1/mixer: found nothing; allowed: an object with a \"type\": "
        "\"s4d\", \"lru\", \"window\"");
}

TEST_CASE("a fault in the block is told once, however many layers there are") {
  const Thrown thrown =
      SampleFault(R"({"model": {"block": {"mixr": 1, "norm": 3, "mixer": {"type": "s4d"}},
                                "layers": 40}})");
  CHECK(std::count(thrown.message.begin(), thrown.message.end(), '\n') == 1);
}

TEST_CASE("conditions between fields carry the place of their object") {
  const Thrown thrown = SampleFault(
      R"({"model": {"block": {"mixer": {"type": "lru", "r_min": 0.9, "r_max": 0.5}}, "layers": 2},
          "train": {"warmup": 5000, "betas": [0.5]}})");
  CHECK(thrown.message ==
        "c.json:1:56: /model/block/mixer/r_min: found r_min above r_max; allowed: r_min <= r_max\n"
        "c.json:2:31: /train/warmup: found more warm-up than steps; lower it\n"
        "c.json:2:46: /train/betas: found not two of them; allowed: two");
}

TEST_CASE("conditions between fields wait until each field is right") {
  const Thrown thrown = SampleFault(
      R"({"model": {"block": {"mixer": {"type": "s4d"}}}, "train": {"warmup": 5000, "lr": -1}})");
  CHECK(thrown.message == "c.json:1:82: /train/lr: found -1; allowed: a number > 0");
}

TEST_CASE("a layer's own contradiction is told at the layer") {
  const Thrown thrown = SampleFault(
      R"({"model": {"block": {"mixer": {"type": "lru", "r_max": 0.95}},
                    "layers": [{}, {"mixer": {"r_min": 0.96}}]}})");
  CHECK(
      thrown.message ==
      "c.json:2:56: /model/layers/1/mixer/r_min: found r_min above r_max; allowed: r_min <= r_max");
}

TEST_CASE("a hundred faults are enough") {
  std::string text = R"({"eval": {"lengths": [)";
  for (int i = 0; i < 20'000; ++i) text += "0,";
  const Thrown thrown = SampleFault(text + "0]}}");
  CHECK(std::count(thrown.message.begin(), thrown.message.end(), '\n') == 100);
  CHECK(thrown.message.ends_with("\n... and 19902 more."));
}

TEST_CASE("hostile names stay on one line") {
  const Thrown thrown = SampleFault(
      "{\"a\\nb\\u001b[31m\": 1, \"model\": {\"block\": {\"mixer\": "
      "{\"type\": \"s4d\"}}}}");
  CHECK(thrown.message.find('\n') == std::string::npos);
  CHECK(thrown.message.find('\x1b') == std::string::npos);
  CHECK(thrown.message.starts_with("c.json:1:2: /a\\u000ab\\u001b[31m: found the unknown key"));
}

}  // namespace
}  // namespace ssm::test
