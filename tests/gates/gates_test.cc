// Trained models against exact ceilings, through the program as a user runs it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gates/trained_run.h"
#include "ssm/io/safetensors.h"
#include "ssm/training/checkpoint.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

using test::Evaluate;
using test::GateSeeds;
using test::Train;

std::string Config(const std::string& name) {
  return std::string(SSM_SOURCE_DIR) + "/configs/experiments/" + name + ".json";
}

double OnlyValue(const TensorFile& file, const std::string& name) {
  const NamedTensor* tensor = file.Find(name);
  REQUIRE(tensor != nullptr);
  return std::get<Array<float>>(tensor->values)[0];
}

TEST_CASE("evidence.track: less than 5 % above the Kalman filter") {
  const test::TempFolder folder;
  Train(Config("evidence_track"), folder / "run");
  const auto cell = Evaluate(folder / "run", {"eval.examples=4096"});
  const double nmse = cell["value"];
  CHECK(cell["ceiling"].get<double>() == doctest::Approx(0.2025).epsilon(0.0005));
  CHECK(nmse < 1.05 * 0.2025);
  CHECK(nmse > 0.2025 - 4 * (cell["high"].get<double>() - cell["low"].get<double>()));
}

TEST_CASE("evidence.decide: within 0.01 of Phi(2), and every moment weighs alike") {
  const test::TempFolder folder;
  Train(Config("evidence_decide"), folder / "run");
  const auto cell = Evaluate(folder / "run", {"eval.examples=40960"});
  CHECK(cell["ceiling"].get<double>() == doctest::Approx(0.9772).epsilon(0.0005));
  CHECK(std::abs(cell["value"].get<double>() - 0.9772) < 0.01);

  const auto probe = Evaluate(folder / "run", {"eval.split=probe", "eval.examples=20480"});
  const std::vector<double> weights = probe["psychophysical_kernel"];
  REQUIRE(weights.size() == 16);
  const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
  CHECK(*least > 0);
  CHECK(*most / *least <= 1.5);
}

TEST_CASE("one mode recovers the Kalman filter's decay") {
  const test::TempFolder folder;
  Train(Config("one_mode"), folder / "run");
  const TensorFile weights =
      ReadSafetensors(FindCheckpoint(folder / "run", "LATEST") + "/model.safetensors");
  const double rate = std::exp(OnlyValue(weights, "layers.0.mixer.log_A_real"));
  const double dt = std::exp(OnlyValue(weights, "layers.0.mixer.log_dt"));
  // (1 - K) a with a = exp(-1/30), K the steady-state gain at unit noise.
  CHECK(std::exp(-rate * dt) == doctest::Approx(0.7713).epsilon(0.05));
}

TEST_CASE("a window of attention reaches what its samples allow, and no less") {
  struct Row {
    const char* config;
    double floor;  // nmse of the best estimate from so many newest samples
  };
  for (const Row& row : {Row{"window3_track", 0.2803},
                         {"window4_track_tau300", 0.2053},
                         {"window8_track_tau300", 0.1243},
                         {"window32_track_tau300", 0.0761}}) {
    CAPTURE(row.config);
    const test::TempFolder folder;
    Train(Config(row.config), folder / "run");
    const auto cell = Evaluate(folder / "run", {"eval.examples=4096"});
    CHECK(cell["value"].get<double>() < 1.05 * row.floor);
    CHECK(cell["high"].get<double>() > row.floor);
  }
}

TEST_CASE("parity of long strings, learned on short ones, by eigenvalues down to -1") {
  double best = 0;
  const std::vector<std::string> seeds = {"3", "1", "2"};  // not every one learns it
  for (size_t i = 0; i < seeds.size() && std::cmp_less(i, GateSeeds()); ++i) {
    const test::TempFolder folder;
    const std::string& s = seeds[i];
    Train(Config("parity_mamba"), folder / "run", {"seed.init=" + s, "seed.data=" + s});
    double least = 1;
    for (const auto& [shortest, longest] : {std::pair(40, 256), std::pair(1024, 2048)}) {
      const auto cell = Evaluate(
          folder / "run", {"task.test_min_steps=" + std::to_string(shortest),
                           "eval.lengths=[" + std::to_string(longest) + "]", "eval.examples=512"});
      least = std::min(least, cell["metrics"]["scaled_accuracy"]["value"].get<double>());
    }
    best = std::max(best, least);
  }
  CHECK(best >= 0.99);
}

}  // namespace
}  // namespace ssm
