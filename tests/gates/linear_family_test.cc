// What linear state-space layers learn to keep, each from as many seeds as SSM_GATE_SEEDS says (1).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "gates/trained_run.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

using test::Evaluate;
using test::Train;

std::string Config(const std::string& name) {
  return std::string(SSM_SOURCE_DIR) + "/configs/experiments/" + name + ".json";
}

std::vector<std::string> With(int seed, std::vector<std::string> overrides) {
  overrides.push_back(fmt::format("seed.init={}", seed));
  overrides.push_back(fmt::format("seed.data={}", seed));
  return overrides;
}

/// The config of a mixer: s4d's has no suffix.
std::string ConfigOf(const std::string& experiment, const std::string& mixer) {
  return Config(mixer == "s4d" ? experiment : experiment + "_" + mixer);
}

const std::vector<std::string> kMixers = {"s4d", "s4", "s5", "lru"};

TEST_CASE("evidence.track: at most 1.05 times the Kalman filter's error") {
  struct Row {
    int tau, steps;
    double ceiling;
  };
  for (const Row& row : {Row{30, 1000, 0.2025}, Row{300, 1000, 0.0761}}) {
    for (const std::string& mixer : kMixers) {
      for (int seed = 1; seed <= test::GateSeeds(); ++seed) {
        CAPTURE(row.tau);
        CAPTURE(mixer);
        CAPTURE(seed);
        const test::TempFolder folder;
        Train(ConfigOf("evidence_track", mixer), folder / "run",
              With(seed, {fmt::format("task.tau={}", row.tau),
                          fmt::format("train.steps={}", row.steps)}));
        const auto cell = Evaluate(folder / "run", {"eval.examples=2048"});
        const double ceiling = cell["ceiling"];
        CHECK(ceiling == doctest::Approx(row.ceiling).epsilon(0.01));
        MESSAGE(mixer, " tau ", row.tau, " seed ", seed, ": ",
                cell["value"].get<double>() / ceiling);
        CHECK(cell["value"].get<double>() <= 1.05 * ceiling);
      }
    }
  }
}

TEST_CASE("delayed_recall: a quarter of d_state back") {
  for (const std::string& mixer : kMixers) {
    for (int seed = 1; seed <= test::GateSeeds(); ++seed) {
      CAPTURE(mixer);
      CAPTURE(seed);
      const test::TempFolder folder;
      Train(ConfigOf("delayed_recall", mixer), folder / "run", With(seed, {}));
      const auto cell = Evaluate(folder / "run");
      MESSAGE(mixer, " seed ", seed, ": ", cell["value"].get<double>());
      CHECK(cell["value"].get<double>() >= 0.99);
    }
  }
}

TEST_CASE("one complex mode keeps a damped oscillation, two decays do not") {
  for (int seed = 1; seed <= test::GateSeeds(); ++seed) {
    CAPTURE(seed);
    const test::TempFolder folder;
    Train(Config("oscillator_complex"), folder / "complex", With(seed, {}));
    Train(Config("oscillator_real"), folder / "real", With(seed, {}));
    CHECK(Evaluate(folder / "complex")["value"].get<double>() < 0.01);
    // What was learned is the continuous system: it answers at other sampling rates as well.
    for (const char* rate : {"eval.dt_scale=0.5", "eval.dt_scale=2"}) {
      CAPTURE(rate);
      CHECK(Evaluate(folder / "complex", {rate})["value"].get<double>() < 0.01);
    }
    // Of the energy of the oscillator's kernel, the best two decays and a direct path leave 0.595;
    // sequences of 256 steps have 0.9355 of it.
    CHECK(Evaluate(folder / "real")["value"].get<double>() > 0.5);
  }
}

}  // namespace
}  // namespace ssm
