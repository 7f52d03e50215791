// What the program refuses for its size, and how it says so.
#include <doctest/doctest.h>

#include <string>

#include "cli/program.h"
#include "cli/tiny_experiment.h"
#include "ssm/base/files.h"
#include "support/temp_folder.h"

using namespace ssm;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;

namespace {

bool Says(const Outcome& outcome, const std::string& words) {
  return outcome.err.find(words) != std::string::npos;
}

/// A trained run in a folder with a blank in its name.
struct TrainedRun {
  test::TempFolder folder;
  std::string config = folder / "tiny.json";
  std::string run = folder / "my run";
  Outcome trained;

  TrainedRun() {
    AtomicWriteFile(config, test::kTinyTrack);
    trained = RunSsmctl({"train", config, "--out", run, "-q"});
  }
};

}  // namespace

TEST_CASE("limits of time and memory are numbers above 0") {
  for (const char* minutes : {"0", "-1", "nan", "inf", "soon"}) {
    CAPTURE(minutes);
    const Outcome outcome = RunSsmctl({"train", "a.json", "--max-minutes", minutes});
    CHECK(outcome.code == 64);
    CHECK(Says(outcome, "allowed: minutes above 0; leave the flag out for no limit"));
    CHECK(outcome.err.size() < 300);
  }
  for (const char* bytes : {"0", "-1", "1GB", "much"}) {
    CAPTURE(bytes);
    const Outcome outcome = RunSsmctl({"train", "a.json", "--max-memory", bytes});
    CHECK(outcome.code == 64);
    CHECK(Says(outcome, "KiB, MiB or GiB"));
  }
}

TEST_CASE("what does not fit is refused with numbers, and nothing is written") {
  const test::TempFolder folder;
  const std::string config = folder / "tiny.json";
  AtomicWriteFile(config, test::kTinyTrack);
  const std::vector<std::vector<std::string>> changes = {
      {"model.d_model=65536", "model.layers=1024"},
      {"model.d_model=65536", "model.block.mixer.d_state=4096"},
      {"task.steps=1000000000"},
      {"train.eval_examples=1073741824"},
      {"train.batch=1048576", "task.steps=65536"},
      {"--max-memory", "64KiB"},
  };
  for (const auto& change : changes) {
    CAPTURE(change[0]);
    for (const bool dry : {true, false}) {
      std::vector<std::string> words = {"train", config, "--out", folder / "run"};
      words.insert(words.end(), change.begin(), change.end());
      if (dry) words.push_back("--dry-run");
      const Outcome outcome = RunSsmctl(words);
      CAPTURE(outcome.err);
      CHECK(outcome.code == 71);
      CHECK(Says(outcome, "B "));
      CHECK(Says(outcome, "; lower "));
      CHECK_FALSE(Exists(folder / "run"));
    }
  }
}

TEST_CASE("laws of a model that cannot fit are refused before the first is asked") {
  const test::TempFolder folder;
  const std::string config = folder / "tiny.json";
  AtomicWriteFile(config, test::kTinyTrack);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--law", "split"}}) {
    std::vector<std::string> words = {"check", config, "model.d_model=32768", "model.layers=1024"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = RunSsmctl(words);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 71);
    CHECK(Says(outcome, "error: Checking "));
    CHECK(Says(outcome, "TiB of memory and "));
    CHECK(Says(outcome, "; lower model.d_model"));
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("a cell that cannot fit is refused before it starts") {
  const TrainedRun trained;
  REQUIRE(trained.trained.code == 0);
  const Outcome outcome = RunSsmctl({"eval", trained.run, "eval.examples=1000000000000"});
  CHECK(outcome.code == 71);
  CHECK(Says(outcome, "Scoring 1,000,000,000,000 sequences"));
  CHECK(Says(outcome, "lower eval.examples"));
  const Outcome task = RunSsmctl({"task", trained.config, "--examples", "1000000000000"});
  CHECK(task.code == 71);
  CHECK(Says(task, "--examples"));
}

TEST_CASE("commands to go on with can be pasted into a shell") {
  const TrainedRun trained;
  CHECK(trained.trained.out.find("next   ssmctl eval '" + trained.run + "'\n") !=
        std::string::npos);
}

TEST_CASE("eval says which checkpoints are whole when the best is not, and needs no moments") {
  const TrainedRun trained;
  const std::string best =
      trained.run + "/checkpoints/" + ReadFile(trained.run + "/checkpoints/BEST").substr(0, 13);
  RemoveTree(best + "/optimizer.safetensors");
  CHECK(RunSsmctl({"eval", trained.run, "eval.examples=8"}).code == 0);
  RemoveTree(best + "/model.safetensors");
  WriteNewFile(best + "/model.safetensors", "torn");
  const Outcome outcome = RunSsmctl({"eval", trained.run, "eval.examples=8"});
  CHECK(outcome.code == 65);
  CHECK(Says(outcome, "--checkpoint"));
}
