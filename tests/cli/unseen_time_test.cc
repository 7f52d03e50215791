// Time between tokens that a model does not look at.
#include <doctest/doctest.h>

#include "cli/program.h"
#include "ssm/base/files.h"
#include "support/temp_folder.h"

using namespace ssm;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;

namespace {

constexpr const char* kUneven = R"({
  "task": {"type": "series", "file": "d.csv", "time_column": "t", "use_dt": true, "context": 8},
  "model": {"d_model": 4, "layers": 2, "block": {"mixer": {"type": "gru"}}},
  "train": {"steps": 1, "batch": 2, "warmup": 0, "eval_every": 0},
  "eval": {"examples": 2}
})";

constexpr const char* kWarning = "warning: gru takes tokens as evenly spaced: ";

}  // namespace

TEST_CASE("a mixer that is given the time between tokens and ignores it is named") {
  const test::TempFolder folder;
  std::string rows = "t,x\n";
  for (int i = 0; i < 200; ++i) {
    rows += std::to_string(i + i / 3) + "," + std::to_string(i * i % 17) + "\n";
  }
  AtomicWriteFile(folder / "d.csv", rows);
  AtomicWriteFile(folder / "c.json", kUneven);
  const std::string run = folder / "run";
  const Outcome trained = RunSsmctl({"train", folder / "c.json", "--out", run});
  CHECK(trained.code == 0);
  CHECK(trained.err.find(std::string(kWarning) +
                         "the time between them is not seen by the model.") != std::string::npos);
  const Outcome sees = RunSsmctl(
      {"train", folder / "c.json", "--out", folder / "s4d", "model.block.mixer.type=s4d"});
  CHECK(sees.code == 0);
  CHECK(sees.err.find("evenly spaced") == std::string::npos);
}

TEST_CASE("so is one that is evaluated at another rate") {
  const test::TempFolder folder;
  AtomicWriteFile(folder / "c.json", R"({
    "task": {"type": "evidence.track", "tau": 4, "steps": 16},
    "model": {"d_model": 4, "layers": 1, "block": {"mixer": {"type": "gru"}}},
    "train": {"steps": 1, "batch": 2, "warmup": 0, "eval_every": 0},
    "eval": {"examples": 2}})");
  const std::string run = folder / "run";
  CHECK(RunSsmctl({"train", folder / "c.json", "--out", run}).err.find("evenly") ==
        std::string::npos);
  const Outcome outcome = RunSsmctl({"eval", run, "eval.dt_scale=2"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.find(std::string(kWarning) + "eval.dt_scale 2 is not seen by the model.") !=
        std::string::npos);
}
