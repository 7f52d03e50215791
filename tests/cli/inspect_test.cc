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

TEST_CASE("a layer without modes says why it has none") {
  Tiny tiny(test::kTinyTrack);
  const auto why = [&tiny](const std::string& mixer) {
    const Outcome outcome = RunSsmctl({"inspect", tiny.config, "model.block.mixer=" + mixer});
    CHECK(outcome.code == 0);
    const size_t at = outcome.out.find("layer 0: ");
    REQUIRE(at != std::string::npos);
    return outcome.out.substr(at, outcome.out.find('\n', at) - at);
  };
  CHECK(why(R"({"type": "hippo", "measure": "legs", "cell": "linear"})") ==
        "layer 0: hippo, no modes of its own: what it keeps depends on the token's position, not "
        "on the input");
  CHECK(why(R"({"type": "hippo", "measure": "lagt", "cell": "linear", "d_state": 6})") ==
        "layer 0: hippo, no modes of its own: the eigenvectors of its A do not span the state");
  CHECK(why(R"({"type": "hippo", "measure": "legt", "cell": "lmu", "d_state": 6})") ==
        "layer 0: hippo, no modes of its own: what it keeps depends on the input");
  CHECK(why(R"({"type": "s4"})") == "layer 0: s4, no modes of its own: it mixes them");
}

TEST_CASE("kernels, energies and recalled signals stand side by side") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  const json layer = JsonOf({"inspect", tiny.run, "--sweep", "dt=1:2:2", "--json"})["layers"][0];
  for (const char* when : {"before", "after"}) {
    CAPTURE(when);
    const json& kernel = layer[std::string("kernel_") + when];
    double energy = 0;
    for (const json& octave : kernel["energy_by_lag"]) energy += octave["share"].get<double>();
    CHECK(energy == doctest::Approx(1));
    CHECK(kernel["envelope"][0].get<double>() >= kernel["norm"][0].get<double>());
    const json& remembered = layer[std::string("remembered_") + when];
    // Two pairs, of which the first starts real.
    CHECK(remembered["states"] == (std::string(when) == "before" ? 3 : 4));
    // Four numbers hold four of the noise's sixteen dimensions at most.
    CHECK(remembered["nmse"].get<double>() > 0.7);
    CHECK(remembered["nmse"].get<double>() < 1);
    const json& sweep = layer[std::string("sweep_") + when];
    REQUIRE(sweep.size() == 2);
    CHECK(sweep[1]["half_life_tokens"][1].get<double>() ==
          doctest::Approx(sweep[0]["half_life_tokens"][1].get<double>() / 2));
  }
  CHECK(layer["kernel_before"]["norm"] != layer["kernel_after"]["norm"]);
  const std::string text = RunSsmctl({"inspect", tiny.run, "--sweep", "dt"}).out;
  CHECK(text.find("energy before  energy after") != std::string::npos);
  CHECK(text.find("does not inherit projection optimality") != std::string::npos);
  CHECK(text.find("dt scale") != std::string::npos);
}

TEST_CASE("figures of a run's layers and of its scores by lag") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  const std::string plots = tiny.folder / "plots";
  CHECK(RunSsmctl({"inspect", tiny.run, "--plot", plots, "--quiet"}).code == 0);
  CHECK(ListDirectory(plots) == std::vector<std::string>{"layer0-half_lives.svg",
                                                         "layer0-kernel.svg",
                                                         "layer0-multipliers.svg"});

  Tiny tokens(test::kTinyRelocate);  // a gru: its scores are all there is to draw
  tokens.Train();
  CHECK(RunSsmctl({"eval", tokens.run, "--quiet"}).code == 0);
  const std::string scores = tokens.folder / "scores";
  CHECK(RunSsmctl({"inspect", tokens.run, "--plot", scores, "--quiet"}).code == 0);
  const std::vector<std::string> files = ListDirectory(scores);
  REQUIRE(files.size() == 1);
  CHECK(files[0].starts_with("retention-test-forward-T48"));
  CHECK(ReadFile(JoinPath(scores, files[0])).find("lag (steps)") != std::string::npos);
}

TEST_CASE("what inspect refuses") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  CHECK(RunSsmctl({"inspect", tiny.run, "model.d_model=8"}).code == 64);
  CHECK(RunSsmctl({"inspect", tiny.config, "--checkpoint", "best"}).code == 64);
  CHECK(RunSsmctl({"inspect", tiny.run, "--checkpoint", "7"}).code == 66);
  CHECK(RunSsmctl({"inspect", tiny.run, "--dt-scale", "-1"}).code == 64);
  CHECK(RunSsmctl({"inspect", tiny.folder / "none"}).code == 66);
  CHECK(RunSsmctl({"inspect", tiny.config, "--dt", "0.1"}).code == 64);
  CHECK(RunSsmctl({"inspect", tiny.config, "--sweep", "dt=1"}).code == 64);
}
