// reproduce: published results against their gates.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/tiny_experiment.h"
#include "cli/tiny_run.h"
#include "ssm/experiment/trained_result.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;

namespace {

std::string Result(const std::string& id) {
  return std::string(SSM_SOURCE_DIR) + "/configs/results/" + id + ".json";
}

/// Whether a file of configs/results trains.
bool Trains(const std::string& file) {
  const std::string path = std::string(SSM_SOURCE_DIR) + "/configs/results/" + file;
  return json::parse(ReadFile(path))["result"]["type"] == "trained";
}

/// A result of two arms that train in a moment.
struct TinyResult : ssm::test::Tiny {
  TinyResult() : Tiny(ssm::test::kTinyRelocate) {
    file = folder / "tiny_result.json";
    AtomicWriteFile(file, R"({
      "id": "T1", "title": "A title", "published": "Nobody, never",
      "result": {
        "type": "trained", "seeds": [1, 2],
        "arms": {"gru": {"config": "tiny.json"},
                 "s4d": {"config": "tiny.json",
                         "overrides": ["model.block.mixer={\"type\": \"s4d\", \"d_state\": 4}"]}},
        "readings": {"all": {}, "moved": {"axis": "hidden moves", "label": "1"}},
        "rows": ["gru all >= 0.01 published 1.00", "gru moved", "s4d moved >= 0.999"]}})");
  }
  std::string file;
};

}  // namespace

TEST_CASE("describe tells what a file of configs/results claims, and the fields of its type") {
  const std::string folder = std::string(SSM_SOURCE_DIR) + "/configs/results";
  for (const std::string& name : ListDirectory(folder)) {
    CAPTURE(name);
    const json file = json::parse(ReadFile(JoinPath(folder, name)));
    const Outcome told = RunSsmctl({"describe", JoinPath(folder, name)});
    REQUIRE(told.code == 0);
    CHECK(told.out.starts_with(file["id"].get<std::string>() + "  " +
                               file["title"].get<std::string>() + "\npublished  " +
                               file["published"].get<std::string>() + "\n\n" +
                               file["result"]["type"].get<std::string>() + ": "));
    for (const auto& field : file["result"].items()) {
      if (field.key() != "type") CHECK(told.out.find("\n" + field.key()) != std::string::npos);
    }
  }
  CHECK(RunSsmctl({"describe", "nowhere.json"}).code == 66);
}

TEST_CASE("every published result in configs/results that trains nothing holds") {
  const std::vector<std::string> files =
      ListDirectory(std::string(SSM_SOURCE_DIR) + "/configs/results");
  CHECK(files.size() >= 2);
  for (const std::string& file : files) {
    CAPTURE(file);
    if (Trains(file)) continue;
    const json result =
        JsonOf({"reproduce", std::string(SSM_SOURCE_DIR) + "/configs/results/" + file, "--json"});
    CHECK(result["id"].get<std::string>() + ".json" == file);
    CHECK(result["holds"] == true);
    CHECK(result["rows"].size() >= 5);
  }
}

TEST_CASE("a gate that does not hold is told, and is a failure") {
  const Outcome outcome = RunSsmctl({"reproduce", Result("P2"), "result.cycles=[2]",
                                     "result.gate_enough=1e-6", "result.signals=1"});
  CHECK(outcome.code == 1);
  CHECK(outcome.out.find("FAILS") != std::string::npos);
  CHECK(outcome.out.find("1 of 2 gates hold") != std::string::npos);
}

TEST_CASE("every published result that trains can be planned") {
  MixerRegistry mixers;
  TaskRegistry tasks;
  RegisterMixers(mixers);
  RegisterTasks(tasks);
  ResultRegistry registry;
  RegisterResults(registry);
  RegisterTrainedResults(registry, mixers, tasks);
  const std::string folder = std::string(SSM_SOURCE_DIR) + "/configs/results";
  for (const std::string& file : ListDirectory(folder)) {
    if (!Trains(file)) continue;
    CAPTURE(file);
    PublishedResult result(registry);
    ReadConfig({folder + "/" + file, {}}, result);
    const auto& trained = dynamic_cast<const TrainedResult&>(*result.result);
    CHECK(trained.Plan({.directory = folder, .out = "runs"}).size() ==
          trained.seeds.size() * trained.arms.names().size());
  }
}

TEST_CASE("arms are trained under every seed, and a failing gate is told with why") {
  const TinyResult tiny;
  const std::string out = tiny.folder / "out";
  const json result = JsonOf({"reproduce", tiny.file, "--out", out, "--json", "--quiet"}, 1);
  CHECK(result["holds"] == false);
  REQUIRE(result["rows"].size() == 3);
  const json& all = result["rows"][0];
  CHECK(all["what"] == "gru all");
  CHECK(all["by_seed"].size() == 2);
  CHECK(all["published"] == "1.00");
  CHECK(all["holds"] == true);
  CHECK(all["measured"] == std::min(all["by_seed"][0], all["by_seed"][1]));
  CHECK(result["rows"][1]["gate"].is_null());
  const std::string diagnosis = result["rows"][2]["diagnosis"];
  CHECK(diagnosis.find("seed 2: 0.") != std::string::npos);
  CHECK(diagnosis.find("container tracker 1.000") != std::string::npos);
  CHECK(diagnosis.find(out) != std::string::npos);

  // Again: four finished runs, and the same words.
  const Outcome again = RunSsmctl({"reproduce", tiny.file, "--out", out});
  CHECK(again.code == 1);
  CHECK(again.err.find("is finished: 4 steps") != std::string::npos);
  CHECK(again.err.find("is written") == std::string::npos);
  CHECK(again.out.find("s4d moved misses >= 0.999") != std::string::npos);
  CHECK(again.out.find("1 of 2 gates hold") != std::string::npos);
  CHECK(again.out.find("by seed") != std::string::npos);
  CHECK(ListDirectory(out).size() == 4);

  const json quick = JsonOf({"reproduce", tiny.file, "--out", out, "--quick", "--json"}, 1);
  CHECK(quick["rows"][0]["by_seed"].size() == 1);
}

TEST_CASE("what reproduce refuses") {
  CHECK(RunSsmctl({"reproduce", "P99"}).code == 66);
  CHECK(RunSsmctl({"reproduce", Result("P2"), "result.cycles=[2000]"}).code == 78);
  CHECK(RunSsmctl({"reproduce", Result("P2"), "result.cycles=[100]", "result.window=50"}).code ==
        78);
  CHECK(RunSsmctl({"reproduce", Result("P2"), "result.type=unknown"}).code == 78);
}
