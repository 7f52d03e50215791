// inspect: modes of runs and configs.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/tiny_experiment.h"
#include "cli/tiny_run.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;
using ssm::test::Tiny;

TEST_CASE("the modes of a config are those the run starts from, and training moves them") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  const json config = JsonOf({"inspect", tiny.config, "--json"});
  const json run = JsonOf({"inspect", tiny.run, "--json"});
  CHECK(config["step"].is_null());
  CHECK_FALSE(config["layers"][0].contains("after"));
  REQUIRE(run["layers"].size() == 1);
  const json& layer = run["layers"][0];
  CHECK(layer["mixer"] == "s4d");
  CHECK(layer["before"] == config["layers"][0]["before"]);
  REQUIRE(layer["after"].size() == 8);  // 4 channels of 2 pairs
  CHECK(layer["after"] != layer["before"]);
  CHECK(layer["before"][3]["channel"] == 1);
  for (const json& mode : layer["before"]) {
    const double dt = mode["dt"], rate = mode["pole"][0];
    CHECK(rate == doctest::Approx(-0.5).epsilon(1e-6));
    CHECK(mode["half_life_tokens"].get<double>() ==
          doctest::Approx(std::log(2) / (0.5 * dt)).epsilon(1e-6));
  }
  const json slow = JsonOf({"inspect", tiny.run, "--dt-scale", "2", "--json"});
  CHECK(slow["layers"][0]["after"][0]["half_life_tokens"].get<double>() ==
        doctest::Approx(layer["after"][0]["half_life_tokens"].get<double>() / 2).epsilon(1e-6));
  const std::string text = RunSsmctl({"inspect", tiny.run}).out;
  CHECK(text.find("layer 0: s4d, 8 modes; training moved") != std::string::npos);
  CHECK(text.find("before  2.00 ") != std::string::npos);
}

TEST_CASE("a layer whose memory depends on its input has no modes") {
  Tiny tiny(test::kTinyRelocate);
  const Outcome outcome = RunSsmctl({"inspect", tiny.config});
  CHECK(outcome.code == 0);
  CHECK(outcome.out.find("layer 0: gru, no modes of its own") != std::string::npos);
  CHECK(JsonOf({"inspect", tiny.config, "--json"})["layers"][0]["before"].empty());
}

TEST_CASE("what inspect refuses") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  CHECK(RunSsmctl({"inspect", tiny.run, "model.d_model=8"}).code == 64);
  CHECK(RunSsmctl({"inspect", tiny.config, "--checkpoint", "best"}).code == 64);
  CHECK(RunSsmctl({"inspect", tiny.run, "--checkpoint", "7"}).code == 66);
  CHECK(RunSsmctl({"inspect", tiny.run, "--dt-scale", "-1"}).code == 64);
  CHECK(RunSsmctl({"inspect", tiny.folder / "none"}).code == 66);
}
