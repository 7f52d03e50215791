#include "ssm/evaluation/results_file.h"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ssm/base/files.h"
#include "ssm/evaluation/cell_json.h"
#include "ssm/evaluation/samples_file.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

using namespace ssm;
using nlohmann::json;

namespace {

CellResult Cell() {
  const double nan = std::nan("");
  CellResult cell;
  cell.key = {.length = 256, .mode = EvalMode::kStep, .split = Split::kProbe, .examples = 40};
  cell.metric = "accuracy";
  cell.higher_is_better = true;
  cell.value = {0.1 + 0.2, 0.25, 0.35};
  cell.loss = nan;
  cell.sequences = 40;
  cell.other_metrics = {{"bce", {0.5, nan, nan}}};
  cell.references = {
      {"posterior", Role::kCeiling, "closed form", {0.9, nan, nan}, {-0.6, -0.65, -0.55}},
      {"last step", Role::kHeuristic, std::string(kSameSequences), {0.2, 0.1, 0.3}, {0.1, 0, 0.2}}};
  cell.axes = {{"lag", {{"2-3", 0.5, {0.3, 0.2, 0.4}, {{"last step", 0.25}}}}},
               {"side", {{"left", 1, {0.3, 0.2, 0.4}, {}}}},
               {"step", {{"1", 0.25, {0.3, 0.2, 0.4}, {}}, {"2", 0.75, {0.4, 0.3, 0.5}, {}}}}};
  cell.curves = {{"psychophysical_kernel", {0, 16}, {1.25, nan}}};
  cell.statistics = {{"tokens", 10240}};
  cell.state_bytes_live = 512;
  cell.state_bytes_capacity = 1024;
  cell.counts = {{"nothing_read", 12}, {"reads", 4096}};
  return cell;
}

ResultsFile Results() {
  ResultsFile results;
  results.name = "decide";
  results.task = "evidence.decide";
  results.model = "1 x s4d, d_model 8";
  results.params = 321;
  results.flops = 1.5e9;
  results.origin = {.config_hash = "0123456789abcdef",
                    .overrides = {"task.noise=2"},
                    .checkpoint = "step-00000200",
                    .checkpoint_sha256 = "ff00",
                    .step = 200,
                    .seed = 1000,
                    .dtype = "float32",
                    .version = "0.1.0",
                    .data_sha256 = "ab12"};
  results.cell = Cell();
  results.sums = {{0.1 + 0.2, std::nan(""), 3}, {1, 2, 4}};
  return results;
}

}  // namespace

TEST_CASE("a cell from before scores were split by steps is still read") {
  json cell = json::parse(CellToJson(Cell()));
  cell.erase("steps");
  CHECK(CellFromJson(cell.dump(), "test").axes.size() == 2);
}

TEST_CASE("a file from before counts were told is read, and its cell is computed again") {
  const test::TempFolder folder;
  const std::string path = folder / "cell.json";
  WriteResultsFile(path, Results());
  CHECK(FindFinished(path, Results().origin, Results().cell.key));
  json file = json::parse(ReadFile(path));
  CHECK(file["cell"]["counts"] == json{{"nothing_read", 12}, {"reads", 4096}});
  file["cell"].erase("counts");
  AtomicWriteFile(path, file.dump());
  CHECK_FALSE(ReadResultsFile(path).cell.counts);
  CHECK_FALSE(CountOf(ReadResultsFile(path).cell, "reads"));
  CHECK_FALSE(FindFinished(path, Results().origin, Results().cell.key));
}

TEST_CASE("a cell reads back to the same JSON, and its JSON has the keys users rely on") {
  const std::string text = CellToJson(Cell());
  CHECK(CellToJson(CellFromJson(text, "test")) == text);
  const json cell = json::parse(text);
  CHECK(cell["length"] == 256);
  CHECK(cell["mode"] == "step");
  CHECK(cell["split"] == "probe");
  CHECK(cell["value"] == 0.1 + 0.2);
  CHECK(cell["ceiling"] == 0.9);
  CHECK(cell["heuristics"] == json{{"last step", 0.2}});
  CHECK(cell["chance"].is_null());
  CHECK(cell["loss"].is_null());
  CHECK(cell["lags"]["2-3"]["value"] == 0.3);
  CHECK(cell["strata"]["side"]["left"]["share"] == 1);
  CHECK(cell["steps"]["2"]["share"] == 0.75);
  CHECK(cell["strata"].size() == 1);
  CHECK(cell["psychophysical_kernel"] == json{1.25, nullptr});
  CHECK(cell["verdict"] == "not separated from the best heuristic");
  CHECK(cell["verdict_difference"] == json{{"against", "last step"},
                                           {"value", 0.1},
                                           {"low", 0},
                                           {"high", 0.2},
                                           {"basis", "paired"}});
  CHECK(cell["undefined"].is_null());
}

TEST_CASE("the verdict's difference names its opponent and what it rests on") {
  CellResult cell = Cell();
  cell.references.pop_back();
  CHECK(json::parse(CellToJson(cell))["verdict_difference"].is_null());
  const double nan = std::nan("");
  cell.references.push_back(
      {"coin", Role::kChance, "closed form", {0.5, nan, nan}, {-0.2, -0.3, nan}});
  const json difference = json::parse(CellToJson(cell))["verdict_difference"];
  CHECK(difference["against"] == "coin");
  CHECK(difference["basis"] == "closed form");
  CHECK(difference["high"].is_null());
}

TEST_CASE("a metric without a value is null with a reason, and reads back") {
  CellResult cell = Cell();
  cell.value = {std::nan(""), std::nan(""), HUGE_VAL};
  cell.undefined = "the target does not vary";
  const std::string text = CellToJson(cell);
  CHECK(json::parse(text)["value"].is_null());
  CHECK(json::parse(text)["high"].is_null());
  CHECK(json::parse(text)["undefined"] == "the target does not vary");
  CHECK(CellToJson(CellFromJson(text, "test")) == text);
}

TEST_CASE("what is no cell is refused with the file's name") {
  for (const char* text : {"", "{", "[]", "{}", R"({"length": "x"})"}) {
    const auto thrown = test::ErrorOf([&] { CellFromJson(text, "a/b.json"); });
    CHECK(thrown.code == ExitCode::kBadData);
    CHECK(thrown.Says("a/b.json"));
    CHECK_FALSE(thrown.Says("json.exception"));
  }
}

TEST_CASE("unknown words of a cell are refused") {
  json cell = json::parse(CellToJson(Cell()));
  cell["mode"] = "sideways";
  CHECK(test::ErrorOf([&] { CellFromJson(cell.dump(), "x"); }).Says("sideways"));
}

TEST_CASE("a finished cell is found again, and only by its own origin and key") {
  const test::TempFolder folder;
  const ResultsFile results = Results();
  const std::string path =
      JoinPath(folder.path(), ResultsFileName(results.cell.key, results.origin));
  CHECK_FALSE(FindFinished(path, results.origin, results.cell.key));
  WriteResultsFile(path, results);
  const auto found = FindFinished(path, results.origin, results.cell.key);
  REQUIRE(found);
  CHECK(CellToJson(found->cell) == CellToJson(results.cell));
  CHECK(found->params == 321);
  CHECK(found->flops == 1.5e9);
  CHECK(found->origin == results.origin);
  CHECK(found->sums.numerator[0] == 0.1 + 0.2);
  CHECK(std::isnan(found->sums.numerator[1]));
  CHECK(found->sums.denominator == results.sums.denominator);
  ResultOrigin retrained = results.origin;
  retrained.checkpoint_sha256 = "ff01";
  CHECK_FALSE(FindFinished(path, retrained, results.cell.key));
  ResultOrigin rewritten = results.origin;
  rewritten.data_sha256 = "ab13";
  CHECK_FALSE(FindFinished(path, rewritten, results.cell.key));
  CellKey more = results.cell.key;
  more.examples = 41;
  CHECK_FALSE(FindFinished(path, results.origin, more));
}

TEST_CASE("a result from before FLOPs were noted is still read") {
  const test::TempFolder folder;
  WriteResultsFile(folder / "old.json", Results());
  json old = json::parse(ReadFile(folder / "old.json"));
  old.erase("flops");
  AtomicWriteFile(folder / "old.json", old.dump());
  CHECK(ReadResultsFile(folder / "old.json").flops == 0);
}

TEST_CASE(
    "a results file from before sums were kept is still read, sums that do not match are not") {
  const test::TempFolder folder;
  const std::string path = JoinPath(folder.path(), "cell.json");
  WriteResultsFile(path, Results());
  json file = json::parse(ReadFile(path));
  file["sums"]["denominator"].erase(0);
  AtomicWriteFile(path, file.dump());
  CHECK(test::ErrorOf([&] { ReadResultsFile(path); }).Says("one denominator for each numerator"));
  file.erase("sums");
  AtomicWriteFile(path, file.dump());
  CHECK(ReadResultsFile(path).sums.size() == 0);
}

TEST_CASE("a damaged results file is computed again, and named where it is only read") {
  const test::TempFolder folder;
  const ResultsFile results = Results();
  const std::string path = JoinPath(folder.path(), "cell.json");
  WriteResultsFile(path, results);
  const std::string whole = ReadFile(path);
  AtomicWriteFile(path, whole.substr(0, whole.size() / 2));
  CHECK_FALSE(FindFinished(path, results.origin, results.cell.key));
  const auto thrown = test::ErrorOf([&] { ReadResults(folder.path()); });
  CHECK(thrown.code == ExitCode::kBadData);
  CHECK(thrown.Says("cell.json"));
  AtomicWriteFile(path, R"({"schema": "ssmctl.result/9"})");
  CHECK(test::ErrorOf([&] { ReadResultsFile(path); }).Says("ssmctl.result/9"));
}

TEST_CASE("names of results files tell cells apart") {
  CellKey key{.length = 64, .examples = 10};
  ResultOrigin origin = Results().origin;
  origin.overrides.clear();
  CHECK(ResultsFileName(key, origin) == "test-forward-T64-n10-step200-seed1000.json");
  origin.step = 2;
  origin.seed = 7;
  key.dt_scale = 2.5;
  origin.overrides = {"task.noise=2"};
  CHECK(ResultsFileName(key, origin) == "test-forward-T64-n10-step2-seed7-dt2.5-01234567.json");
  CHECK(ReadResults("/nowhere/at/all").empty());
}

TEST_CASE("files of others in a results folder are named, all at once, in our own words") {
  const test::TempFolder folder;
  WriteResultsFile(folder / "good.json", Results());
  CHECK(ReadResults(folder.path()).size() == 1);
  json strange = json::parse(ReadFile(folder / "good.json"));
  strange["params"] = "many";
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.json", "{\"index\":0}\n{\"index\":1}\n"},
      {"b.json", "not JSON"},
      {"c.json", ""},
      {"d.json", "[1, 2]"},
      {"e.json", R"({"schema": 3})"},
      {"f.json", R"({"schema": "ssmctl.result/1"})"},
      {"g.json", R"({"schema": "ssmctl.result/2"})"},
      {"h.json", strange.dump()}};
  for (const auto& [name, text] : files) AtomicWriteFile(folder / name, text);
  AtomicWriteFile(folder / "samples.jsonl", "not read");
  const auto thrown = test::ErrorOf([&] { ReadResults(folder.path()); });
  CHECK(thrown.code == ExitCode::kBadData);
  for (const auto& [name, text] : files) {
    CAPTURE(name);
    CHECK(thrown.Says(folder / name + ": not a result of \"ssmctl eval\": "));
  }
  for (const char* absent : {"json.exception", "good.json", "jsonl"}) {
    CHECK_FALSE(thrown.Says(absent));
  }
}

TEST_CASE("samples are one line a sequence") {
  CellScore score;
  score.key = {.length = 4, .examples = 2};
  score.lengths = {4, 3};
  score.loss_sum = {2, 0};
  score.loss_weight = {4, 0};
  score.score.tallies = {{"model", "nmse", "", "", {1, 0}, {2, 0}},
                         {"static", "nmse", "", "", {3, 0}, {2, 0}},
                         {"model", "nmse", "lag", "1", {9, 9}, {1, 1}}};
  CHECK(SampleLines(score) ==
        "{\"index\":0,\"length\":4,\"mode\":\"forward\",\"split\":\"test\",\"loss\":0.5,"
        "\"nmse\":{\"model\":0.5,\"static\":1.5}}\n"
        "{\"index\":1,\"length\":3,\"mode\":\"forward\",\"split\":\"test\",\"loss\":null,"
        "\"nmse\":{\"model\":null,\"static\":null}}\n");
}
