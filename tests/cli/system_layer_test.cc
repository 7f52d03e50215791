// A layer that starts from a system file: what the program says of the file.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/tiny_run.h"
#include "ssm/base/files.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;
using ssm::test::Tiny;

namespace {

constexpr const char* kConfig = R"({
  "name": "tiny_system", "seed": 3,
  "task": {"type": "evidence.track", "tau": 4, "steps": 16},
  "model": {"d_model": 1, "layers": 1,
            "block": {"norm": "none", "mlp": "none", "mixer": {"type": "lti", "file": "system.json"}}},
  "train": {"steps": 4, "batch": 4, "warmup": 1, "eval_every": 4, "checkpoint_every": 4, "eval_examples": 8},
  "eval": {"examples": 4}
})";

constexpr const char* kDecays = R"({"dt": 1, "A": [[0.5]], "B": [[1]], "C": [[1]]})";
constexpr const char* kGrows = R"({"dt": 1, "A": [[1.01]], "B": [[1]], "C": [[1]]})";

struct TinySystem : Tiny {
  explicit TinySystem(const char* system) : Tiny(kConfig), file(folder / "system.json") {
    AtomicWriteFile(file, system);
  }
  std::string file;
};

bool Says(const Outcome& outcome, const std::string& text) {
  return outcome.err.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("an unstable system is told of, trained all the same, and seen by inspect") {
  const TinySystem tiny(kGrows);
  const Outcome trained = RunSsmctl({"train", tiny.config, "--out", tiny.run});
  CAPTURE(trained.err);
  CHECK(trained.code == 0);
  CHECK(Says(trained, "model.layers[0].mixer: "));
  CHECK(Says(trained, "system.json\" is unstable"));
  const json inspected = JsonOf({"inspect", tiny.config, "--json", "--quiet"});
  const json modes = inspected["layers"][0]["before"];
  REQUIRE(modes.size() == 1);
  CHECK(modes[0]["multiplier"][0].get<double>() == doctest::Approx(1.01).epsilon(1e-7));
  CHECK(modes[0]["half_life_tokens"].get<double>() < 0);
}

TEST_CASE("a stable system is no news") {
  const TinySystem tiny(kDecays);
  const Outcome trained = RunSsmctl({"train", tiny.config, "--out", tiny.run});
  CHECK(trained.code == 0);
  CHECK(!Says(trained, "system.json\" is"));
}

TEST_CASE("a system file that changed or went since a run was trained is told of") {
  TinySystem tiny(kDecays);
  tiny.Train();
  const json manifest = json::parse(ReadFile(tiny.run + "/manifest.json"));
  CHECK(manifest["model_sha256"].get<std::string>().size() == 64);
  CHECK(RunSsmctl({"eval", tiny.run, "--quiet"}).code == 0);
  AtomicWriteFile(tiny.file, kGrows);
  for (const Outcome& outcome :
       {RunSsmctl({"eval", tiny.run, "--quiet"}),
        RunSsmctl({"train", tiny.config, "--resume", "--out", tiny.run, "--quiet"})}) {
    CAPTURE(outcome.err);
    CHECK(outcome.code == 65);
    CHECK(Says(outcome, "has changed since"));
  }
  std::filesystem::remove(tiny.file);
  const Outcome gone = RunSsmctl({"eval", tiny.run, "--quiet"});
  CHECK(gone.code == 66);
  CHECK(Says(gone, "started from it: put it back there"));
  CHECK(Says(RunSsmctl({"train", tiny.config, "--out", tiny.run + "2"}), tiny.file));
}
