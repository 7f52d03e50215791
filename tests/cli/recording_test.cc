// A recording that moves or changes after a run was trained on it.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/tiny_run.h"
#include "ssm/base/files.h"
#include "ssm/base/sha256.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;
using ssm::test::Tiny;

namespace {

constexpr const char* kTinySeries = R"({
  "name": "tiny_series", "seed": 3,
  "task": {"type": "series", "file": "sine.csv", "context": 16},
  "model": {"d_model": 4, "layers": 1, "block": {"mixer": {"type": "s4d", "d_state": 4}}},
  "train": {"steps": 4, "batch": 4, "warmup": 1, "eval_every": 4, "checkpoint_every": 4, "eval_examples": 8},
  "eval": {"examples": 4}
})";

std::string Sine(double frequency) {
  std::string rows = "x\n";
  for (int i = 0; i < 400; ++i) rows += std::to_string(std::sin(frequency * i)) + "\n";
  return rows;
}

struct TinySeries : Tiny {
  TinySeries() : Tiny(kTinySeries), file(folder / "sine.csv") {
    AtomicWriteFile(file, Sine(0.1));
    Train();
  }
  Outcome Resume(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"train", "--resume", "--out", run, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunSsmctl(arguments);
  }
  std::string file;
};

bool Says(const Outcome& outcome, const std::string& text) {
  return outcome.err.find(text) != std::string::npos;
}

/// Takes a key out of a JSON file.
void Erase(const std::string& path, const char* key) {
  json document = json::parse(ReadFile(path));
  REQUIRE(document.erase(key) == 1);
  AtomicWriteFile(path, document.dump(2));
}

}  // namespace

TEST_CASE("a run and its cells know the bytes they come from") {
  const TinySeries tiny;
  JsonOf({"eval", tiny.run, "--json", "--quiet"});
  const std::string digest = Sha256(Sine(0.1));
  CHECK(json::parse(ReadFile(tiny.run + "/manifest.json"))["data_sha256"] == digest);
  const std::string results = tiny.run + "/results";
  const json cell = json::parse(ReadFile(JoinPath(results, ListDirectory(results).at(0))));
  CHECK(cell["origin"]["data_sha256"] == digest);
}

TEST_CASE("a recording that changed since is refused until it is named anew") {
  const TinySeries tiny;
  AtomicWriteFile(tiny.file, Sine(0.2));
  for (const Outcome& outcome :
       {tiny.Resume(), tiny.Resume({tiny.config}), RunSsmctl({"eval", tiny.run, "--quiet"})}) {
    CAPTURE(outcome.err);
    CHECK(outcome.code == 65);
    CHECK(Says(outcome, tiny.file));
    CHECK(Says(outcome, "is not what"));
    CHECK(Says(outcome, "task.file="));
  }
  const std::string copy = tiny.folder / "other.csv";
  AtomicWriteFile(copy, Sine(0.2));
  const json other = JsonOf({"eval", tiny.run, "task.file=" + copy, "--json", "--quiet"});
  CHECK(other["overrides"] == json{"task.file=\"" + copy + "\""});
  AtomicWriteFile(tiny.file, Sine(0.1));
  CHECK(tiny.Resume().code == 0);
}

TEST_CASE("a run whose manifest knows no digest takes the recording there is") {
  const TinySeries tiny;
  Erase(tiny.run + "/manifest.json", "data_sha256");
  AtomicWriteFile(tiny.file, Sine(0.2));
  CHECK(tiny.Resume().code == 0);
  CHECK(RunSsmctl({"eval", tiny.run, "--quiet"}).code == 0);
}

TEST_CASE("a recording that has moved is told of, and found under its new name") {
  const TinySeries tiny;
  const json before = JsonOf({"eval", tiny.run, "--json", "--quiet"});
  const std::string moved = tiny.folder / "moved.csv";
  std::filesystem::rename(tiny.file, moved);
  const Outcome gone = RunSsmctl({"eval", tiny.run, "--quiet"});
  CHECK(gone.code == 66);
  CHECK(Says(gone, tiny.file));
  CHECK(Says(gone, "the recording of the run's task"));
  CHECK(Says(gone, "task.file="));
  const json after = JsonOf({"eval", tiny.run, "task.file=" + moved, "--json", "--quiet"});
  CHECK(after["cells"][0]["value"] == before["cells"][0]["value"]);
  const Outcome wrong = RunSsmctl({"eval", tiny.run, "task.file=/nowhere.csv", "--quiet"});
  CHECK(wrong.code == 66);
  CHECK_FALSE(Says(wrong, "the recording of the run's task"));
}
