#include "ssm/config/overrides.h"

#include <doctest/doctest.h>

#include <string>

#include "config/read_sample.h"

namespace ssm::test {
namespace {

TEST_CASE("overrides are typed by their field") {
  const SampleConfig config =
      WithOverrides({"train.steps=1e3", "train.lr=3e-4", "name=12", "model.block.residual=false",
                     "seed.data=64.0", "train.init_from=runs/a=b", "eval.tags=[\"x\",true]",
                     "model.block.norm=none"})
          .config;
  CHECK(config.train.steps == 1000);
  CHECK(config.train.lr == 3e-4);
  CHECK(config.name == "12");
  CHECK(config.model.layers.at(0).residual == false);
  CHECK(config.seed.data == 64);
  CHECK(config.train.init_from == "runs/a=b");
  CHECK(config.eval.tags == std::vector<std::string>{"x", "true"});
  CHECK(config.model.layers.at(0).norm == Norm::kNone);
}

TEST_CASE("quotes make a string, nothing after = an empty one") {
  CHECK(WithOverrides({"name=\"a b\""}).config.name == "a b");
  CHECK(WithOverrides({"name="}).config.name.empty());
  CHECK(WithOverrides({"name=true"}).config.name == "true");
  CHECK(WithOverrides({"name=a\xC3\xA9"}).config.name == "a\xC3\xA9");
  CHECK(WithOverrides({"name=null"}).config.name == "sample");
}

TEST_CASE("nothing is coerced") {
  const char* const refused[] = {"model.block.residual=1",
                                 "train.steps=true",
                                 "train.steps=1.5",
                                 "train.keep=-1",
                                 "train.steps=\"3\"",
                                 "train.steps=",
                                 "train.lr=nan",
                                 "train.lr=1e400",
                                 "train.lr=inf",
                                 "eval.lengths=3",
                                 "eval.lengths=1,2",
                                 "model.block.norm=RMS",
                                 "model=3",
                                 "train.lr.x=3",
                                 "seed=1.5",
                                 "train.betas=[0.1,true]"};
  for (const char* override : refused) {
    const Thrown thrown = OverrideFault({override});
    CHECK_MESSAGE(thrown.code == ExitCode::kBadConfig, override);
    CHECK(thrown.message.starts_with("override " + std::string(override) + ": /"));
    CHECK(thrown.message.find('\n') == std::string::npos);
  }
}

TEST_CASE("objects and lists patch and replace") {
  const SampleConfig config = WithOverrides({R"(model.block.mixer={"type": "lru", "r_min": 0.5})",
                                             "eval.lengths=[1,2,3]", "eval.lengths.1=1e3"})
                                  .config;
  CHECK(MixerOf<LruOptions>(config.model.layers.at(0)).r_min == 0.5);
  CHECK(config.eval.lengths == std::vector<int64_t>{1, 1000, 3});
  CHECK(WithOverrides({"eval.lengths.0=7"}).config.eval.lengths == std::vector<int64_t>{7});
  CHECK(
      OverrideFault({"eval.lengths.1=7"}).Says("/eval/lengths/1: found index 1; allowed: 0 to 0"));
  CHECK(OverrideFault({"eval.tags.0=7"}).Says("/eval/tags/0: found index 0; the list is empty"));
}

TEST_CASE("the later of two wins; null goes back to the default") {
  CHECK(WithOverrides({"train.lr=1", "train.lr=2"}).config.train.lr == 2);
  CHECK(WithOverrides({"train.lr=1", "train.lr=null"}).config.train.lr == 0.003);
  CHECK(WithOverrides({"train=null", "train.lr=2"}).config.train.lr == 2);
  CHECK(WithOverrides({"train.groups.ssm=null"}).config.train.groups.Find("ssm") != nullptr);
}

TEST_CASE("one layer of several") {
  const SampleConfig config =
      WithOverrides({"model.layers=3", "model.layers.1.norm=none",
                     "model.layers.2.mixer.type=window", "model.layers.2.mixer.cache.window=32"})
          .config;
  REQUIRE(config.model.layers.size() == 3);
  CHECK(config.model.layers.at(0).norm == Norm::kRms);
  CHECK(config.model.layers.at(1).norm == Norm::kNone);
  CHECK(MixerOf<S4dOptions>(config.model.layers.at(1)).d_state == 64);
  CHECK(MixerOf<WindowOptions>(config.model.layers.at(2)).cache.window == 32);
  CHECK(OverrideFault({"model.layers=3", "model.layers.3.norm=none"}).message ==
        "override model.layers.3.norm=none: /model/layers/3: found index 3; allowed: 0 to 2");
  CHECK(OverrideFault({"model.layers.0=rms"}).Says("allowed: an object that patches the block"));
}

TEST_CASE("one layer of one, two and of a list") {
  CHECK(WithOverrides({"model.layers.0.norm=layer"}).config.model.layers.at(0).norm ==
        Norm::kLayer);
  const SampleConfig config =
      ReadSample(R"({"model": {"block": {"mixer": {"type": "s4d"}},
                               "layers": [{"norm": "none"}, {"residual": false}]}})",
                 {"model.layers.1.dropout=0.5", "model.layers.0.norm=layer"})
          .config;
  CHECK(config.model.layers.at(0).norm == Norm::kLayer);
  CHECK(config.model.layers.at(1).residual == false);
  CHECK(config.model.layers.at(1).dropout == 0.5);
}

TEST_CASE("an index where there are no elements") {
  CHECK(OverrideFault({"train.lr.0=1"}).message ==
        "override train.lr.0=1: /train/lr/0: found an index; \"lr\" is a single value");
  CHECK(OverrideFault({"train.0=1"}).Says("/train/0: found the unknown key \"0\": 1;"));
  CHECK(OverrideFault({"0=1"}).Says("/0: found the unknown key \"0\": 1;"));
  CHECK(WithOverrides({"train.groups.0.lr=1"}).config.train.groups.Find("0")->lr == 1);
}

TEST_CASE("a type changed by an override takes the file's keys with it, not other overrides") {
  const std::string text =
      R"({"model": {"block": {"mixer": {"type": "s4d", "dt_min": 0.5, "d_state": 8}}}})";
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{"model.block.mixer.type=lru", "model.block.mixer.r_min=0.5"},
        std::vector<std::string>{"model.block.mixer.r_min=0.5", "model.block.mixer.type=lru"}}) {
    const SampleReading reading = ReadSample(text, overrides);
    const auto& lru = MixerOf<LruOptions>(reading.config.model.layers.at(0));
    CHECK(lru.r_min == 0.5);
    CHECK(lru.d_state == 8);
    REQUIRE(reading.dropped.size() == 1);
    CHECK(reading.dropped[0].pointer == "/model/block/mixer/dt_min");
    CHECK(reading.dropped[0].origin == "c.json");
  }
  CHECK(SampleFault(text, {"model.block.mixer.dt_min=1", "model.block.mixer.type=lru"})
            .Says("\"dt_min\" is a key of the type \"s4d\""));
}

TEST_CASE("a type changed in one layer drops nothing from the block") {
  const SampleReading reading = ReadSample(
      R"({"model": {"block": {"mixer": {"type": "s4d", "dt_min": 0.5, "d_state": 8}},
                    "layers": [{}, {"mixer": {"type": "lru"}}]}})");
  CHECK(reading.dropped.empty());
  CHECK(MixerOf<S4dOptions>(reading.config.model.layers.at(0)).dt_min == 0.5);
  CHECK(MixerOf<LruOptions>(reading.config.model.layers.at(1)).d_state == 8);
}

TEST_CASE("one integer for a whole object, and one of its members") {
  const SampleConfig config = WithOverrides({"seed=4", "seed.data=7"}).config;
  CHECK(config.seed.init == 4);
  CHECK(config.seed.data == 7);
  CHECK(config.seed.eval == 4);
  CHECK(WithOverrides({"seed.data=7", "seed=4"}).config.seed.data == 4);
}

TEST_CASE("malformed overrides are wrong usage, all told at once") {
  const Thrown thrown =
      OverrideFault({"foo", "=3", "a..b=3", "+a=1", "~a=1", "a b=3", "eval.lengths=[1,2",
                     "eval={\"a\":1,\"a\":2}", "name=\"x", "a.=1", "train.lr=-1"});
  CHECK(thrown.code == ExitCode::kUsage);
  CHECK(
      thrown.message ==
      "override foo: found no \"=\"; write KEY=VALUE, as in model.d_model=128\n"
      "override =3: found no key before \"=\"\n"
      "override a..b=3: found an empty key; write each key once, joined by single dots\n"
      "override +a=1: found \"+\" before the key; write KEY=VALUE, or KEY=null for the default\n"
      "override ~a=1: found \"~\" before the key; write KEY=VALUE, or KEY=null for the default\n"
      "override a b=3: found a blank, quote or bracket in the key; allowed: keys joined by dots, "
      "as in model.d_model=128\n"
      "override eval.lengths=[1,2: the value is not JSON at its byte 5: the text ends inside the "
      "list that begins at line 1; close it with \"]\"\n"
      "override eval={\"a\":1,\"a\":2}: the value has a key twice: /a\n"
      "override name=\"x: the value is not JSON at its byte 1: found a string without its closing "
      "quote\n"
      "override a.=1: found an empty key; write each key once, joined by single dots");
}

TEST_CASE("malformed overrides are told before a missing file is") {
  SampleConfig config;
  CHECK(ErrorOf([&] { ReadConfig({"/nowhere/c.json", {"x"}}, config); }).code == ExitCode::kUsage);
}

TEST_CASE("hostile overrides") {
  CHECK(OverrideFault({"eval.lengths=" + std::string(100'000, '[')}).code == ExitCode::kUsage);
  std::string deep = "a";
  for (int i = 0; i < 1000; ++i) deep += ".a";
  CHECK(OverrideFault({deep + "=1"}).code != ExitCode::kDone);
  CHECK(OverrideFault({"model.layers.999999999.norm=rms"}).code == ExitCode::kBadConfig);
  CHECK(OverrideFault({"model.layers.99999999999999999999=3"}).code == ExitCode::kBadConfig);
  CHECK(OverrideFault({std::string("na\nme=1")}).message.find('\n') == std::string::npos);
}

}  // namespace
}  // namespace ssm::test
