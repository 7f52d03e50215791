// Arms of several seeds against each other: numbers known by hand, verdict words, refusals.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/tiny_experiment.h"
#include "cli/tiny_run.h"
#include "ssm/evaluation/results_file.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;
using ssm::test::Tiny;

namespace {

/// A run folder that was never trained: its config, its end, and one result.
struct MadeUp {
  std::string mixer = "gru";
  int64_t d_model = 4;
  int64_t window = 8;
  int64_t init = 1, data = 1, eval = 1000;
  int64_t params = 1000;
  int64_t length = 48;
  std::vector<double> correct;  // of each sequence, of one label
  std::string state = "finished";
  bool sums = true;

  void Write(const std::string& run) const {
    const json config = {
        {"name", BaseName(run)},
        {"seed", {{"init", init}, {"data", data}, {"eval", eval}}},
        {"task", {{"type", "relocate.tokens"}, {"steps", 48}, {"window", window}}},
        {"model", {{"d_model", d_model}, {"layers", 1}, {"block", {{"mixer", {{"type", mixer}}}}}}},
        {"train", {{"steps", 4}, {"batch", 4}, {"warmup", 1}}}};
    MakeDirectories(run + "/results");
    AtomicWriteFile(run + "/config.json", config.dump());
    AtomicWriteFile(run + "/status.json", json{{"state", state}, {"step", 4}}.dump());
    const double n = static_cast<double>(correct.size());
    ResultsFile results;
    results.name = BaseName(run);
    results.task = "relocate.tokens";
    results.model = "1 x " + mixer;
    results.params = params;
    results.origin.checkpoint = "step-00000004";
    results.origin.step = 4;
    results.origin.seed = eval;
    CellResult& cell = results.cell;
    cell.key = {.length = length, .examples = std::ssize(correct)};
    cell.metric = "accuracy";
    cell.higher_is_better = true;
    cell.value = Wilson(std::accumulate(correct.begin(), correct.end(), 0.0), n);
    cell.sequences = std::ssize(correct);
    const double nan = std::nan("");
    cell.references = {
        {"chance", Role::kChance, "closed form", {0.125, nan, nan}, {}},
        {"last seen", Role::kHeuristic, std::string(kSameSequences), {0.5, nan, nan}, {}},
        {"tracking", Role::kCeiling, std::string(kSameSequences), {0.9, nan, nan}, {}}};
    cell.statistics = {{"hidden moves a sequence", static_cast<double>(eval)}};
    cell.state_bytes_live = 64;
    if (sums) results.sums = {correct, std::vector<double>(correct.size(), 1.0)};
    WriteResultsFile(run + "/results/" + ResultsFileName(cell.key, results.origin), results);
  }
};

/// Runs under seeds 1 to `seeds`, all of them with the same answers.
void WriteSeeds(const std::string& folder, const std::string& name, int seeds, MadeUp run) {
  for (int seed = 1; seed <= seeds; ++seed) {
    run.init = run.data = seed;
    const std::string number = std::to_string(seed);
    run.Write(folder + "/" + name + "-seed_" + number + "-0badcaf" + number);
  }
}

const std::vector<double> kAllRight = {1, 1, 1, 1};
const std::vector<double> kAllWrong = {0, 0, 0, 0};

std::string VerdictOf(const json& cell, const std::string& first, const std::string& second) {
  for (const json& pair : cell["pairs"]) {
    if (pair["first"] == first && pair["second"] == second) return pair["verdict"];
  }
  return "no such pair";
}

}  // namespace

TEST_CASE("six seeds, all right against all wrong: separated, and every number known by hand") {
  const test::TempFolder folder;
  WriteSeeds(folder.path(), "gru", 6, {.mixer = "gru", .correct = kAllRight});
  WriteSeeds(folder.path(), "s4d", 6, {.mixer = "s4d", .params = 1019, .correct = kAllWrong});
  const json all = JsonOf({"compare", folder.path(), "--json"});
  CHECK(all["schema"] == "ssmctl.compare/1");
  const json& cell = all["cells"][0];
  REQUIRE(cell["arms"].size() == 2);
  const json& gru = cell["arms"][0];
  CHECK(gru["arm"] == "gru");
  CHECK(gru["model"] == "1 x gru, d_model 4");
  CHECK(gru["params"] == 1000);
  CHECK(gru["state_bytes_live"] == 64);
  CHECK(gru["units"].size() == 6);
  CHECK(gru["units"][3]["seed_data"] == 4);
  CHECK(gru["value"] == 1);
  CHECK(gru["low"].is_null());  // resamples that are all alike
  CHECK(gru["ceiling"] == 0.9);
  CHECK(gru["best_heuristic"] == 0.5);
  CHECK(gru["best_heuristic_name"] == "last seen");
  CHECK(gru["chance"] == 0.125);
  REQUIRE(cell["pairs"].size() == 1);
  const json& pair = cell["pairs"][0];
  CHECK(pair["values"] == json(std::vector<double>(6, 1.0)));
  CHECK(pair["value"] == 1);
  // Units count as single labels: Wilson's end at 6 of 6 with t(5) = 2.5706 is 6 / (6 + t^2) =
  // 0.4759, and 1 - sqrt(2) (1 - 0.4759) = 0.2588.
  CHECK(pair["low"].get<double>() == doctest::Approx(0.2588).epsilon(1e-3));
  CHECK(pair["high"] == 1);
  CHECK(pair["sign_flip_p"] == 2.0 / 64);
  const std::string verdict = pair["verdict"];
  CHECK(verdict.starts_with("separated (95 %) under budget equal parameters, equal state bytes"));
  CHECK(verdict.ends_with("equal steps"));
  CHECK(pair["note"].is_null());
  CHECK(cell["statistics"] == json{{"hidden moves a sequence", 1000}});

  const std::string text = RunSsmctl({"compare", folder.path()}).out;
  CAPTURE(text);
  CHECK(text.starts_with("relocate.tokens, test, T 48, n 4: accuracy, higher is better\n"));
  for (const char* said : {"1.000 1.000 1.000 1.000 1.000 1.000", "0.5000 (last seen)", "gru - s4d",
                           "0.03125", "hidden moves a sequence"}) {
    CHECK(text.find(said) != std::string::npos);
  }
  CHECK(text.find("winner") == std::string::npos);
}

TEST_CASE("five seeds are not enough, whatever they say") {
  const test::TempFolder folder;
  WriteSeeds(folder.path(), "gru", 5, {.mixer = "gru", .correct = kAllRight});
  WriteSeeds(folder.path(), "s4d", 5, {.mixer = "s4d", .correct = kAllWrong});
  const json pair = JsonOf({"compare", folder.path(), "--json"})["cells"][0]["pairs"][0];
  CHECK(pair["low"].get<double>() > 0);
  CHECK(pair["sign_flip_p"] == 0.0625);
  CHECK(pair["verdict"] == "not separated");
  CHECK(pair["note"] ==
        "5 shared seeds: no sign-flip p is below 0.0625, so nothing can be "
        "separated; six are the least.");
}

TEST_CASE("two seeds: resampled differences that can be listed, and arms in folders of their own") {
  const test::TempFolder folder;
  const std::string a = folder / "a";
  const std::string b = folder / "b";
  // Alike inside each seed, so that only seeds vary: differences 0 and 1, resampled means 0,
  // 0.5, 1.
  WriteSeeds(a, "gru", 2, {.mixer = "gru", .correct = kAllRight});
  MadeUp other{.mixer = "s4d", .d_model = 8, .params = 1021, .correct = kAllRight};
  other.Write(b + "/one");
  other.init = other.data = 2;
  other.correct = kAllWrong;
  other.Write(b + "/two");
  const json cell = JsonOf({"compare", a, b, "--json"})["cells"][0];
  const json& s4d = cell["arms"][1];
  CHECK(s4d["value"] == 0.5);
  CHECK(s4d["low"] == 0);
  CHECK(s4d["high"] == 1);
  const json& pair = cell["pairs"][0];
  CHECK(pair["values"] == json{0, 1});
  CHECK(pair["value"] == 0.5);
  CHECK(pair["low"] == 0);
  CHECK(pair["high"] == 1);
  CHECK(pair["basis"] == "seeds and sequences");
  CHECK(pair["sign_flip_p"] == 1);
  const json& budget = pair["budget"];
  CHECK(std::find(budget.begin(), budget.end(), "equal parameters") == budget.end());  // 2.06 %
}

TEST_CASE("success rates of three seeds: 3 of 3 against 0 of 3 is p = 0.1") {
  const test::TempFolder folder;
  WriteSeeds(folder.path(), "gru", 3, {.mixer = "gru", .correct = kAllRight});
  WriteSeeds(folder.path(), "s4d", 3, {.mixer = "s4d", .correct = {1, 1, 1, 0}});
  const json cell = JsonOf({"compare", folder.path(), "--success", "0.99", "--json"})["cells"][0];
  const json& right = cell["arms"][0]["success"];
  CHECK(right["successes"] == 3);
  CHECK(right["trials"] == 3);
  CHECK(right["low"].get<double>() == doctest::Approx(std::cbrt(0.025)));
  CHECK(right["high"] == 1);
  const json& wrong = cell["arms"][1]["success"];
  CHECK(wrong["successes"] == 0);
  CHECK(wrong["high"].get<double>() == doctest::Approx(1 - std::cbrt(0.025)));
  CHECK(cell["pairs"][0]["fisher_p"].get<double>() == doctest::Approx(0.1));
  const std::string text = RunSsmctl({"compare", folder.path(), "--success", "0.99"}).out;
  CHECK(text.find("3 / 3 [0.2924, 1.000]") != std::string::npos);
  CHECK(text.find("seeds >= 0.99") != std::string::npos);
}

TEST_CASE("what holds at one size and turns round at another is reversed between budgets") {
  const test::TempFolder folder;
  const auto write = [&](const char* name, const char* mixer, int d_model, int64_t params,
                         const std::vector<double>& correct) {
    WriteSeeds(folder.path(), name, 6,
               {.mixer = mixer, .d_model = d_model, .params = params, .correct = correct});
  };
  write("gru_large", "gru", 8, 5000, kAllWrong);
  write("gru_small", "gru", 4, 1000, kAllRight);
  write("s4d_large", "s4d", 8, 5000, kAllRight);
  write("s4d_small", "s4d", 4, 1000, kAllWrong);
  const json cell = JsonOf({"compare", folder.path(), "--json"})["cells"][0];
  CHECK(cell["pairs"].size() == 6);
  CHECK(VerdictOf(cell, "gru_small", "s4d_small") == "reversed between budgets");
  CHECK(VerdictOf(cell, "gru_large", "s4d_large") == "reversed between budgets");
  CHECK(VerdictOf(cell, "gru_small", "s4d_large") == "not separated");
  CHECK(VerdictOf(cell, "gru_large", "gru_small").starts_with("separated (95 %) under budget "));
  CHECK(RunSsmctl({"compare", folder.path()}).out.find("Each of 6 differences stands at 95 %") !=
        std::string::npos);
}

TEST_CASE("one seed each: Wilson's intervals, a difference by sequence, and no verdict") {
  const test::TempFolder folder;
  MadeUp{.mixer = "gru", .correct = {1, 1, 1, 0}}.Write(folder / "gru");
  MadeUp{.mixer = "s4d", .correct = {0, 0, 1, 0}}.Write(folder / "s4d");
  const json cell = JsonOf({"compare", folder / "gru", folder / "s4d", "--json"})["cells"][0];
  CHECK(cell["arms"][0]["low"].get<double>() == doctest::Approx(0.3006).epsilon(1e-3));
  CHECK(cell["arms"][0]["high"].get<double>() == doctest::Approx(0.9544).epsilon(1e-3));
  CHECK(cell["arms"][0]["basis"] == "sequences of one seed");
  const json& pair = cell["pairs"][0];
  // Differences 1, 1, 0, 0: 0.5 -+ t(3) sqrt(1/3 / 4) = 3.18245 x 0.288675.
  CHECK(pair["value"] == 0.5);
  CHECK(pair["low"].get<double>() == doctest::Approx(0.5 - 0.918694).epsilon(1e-5));
  CHECK(pair["basis"] == "sequences of one seed");
  CHECK(pair["sign_flip_p"].is_null());
  CHECK(pair["verdict"] == "-");
  CHECK(pair["note"].get<std::string>().find("says nothing of other seeds") != std::string::npos);
}

TEST_CASE("units are paired by both seeds, by data seeds where no init seed is shared, or not") {
  const test::TempFolder folder;
  const auto pair_of = [&](const char* name, int64_t init, int64_t data) {
    const std::string path = folder / name;
    WriteSeeds(path, "gru", 3, {.mixer = "gru", .correct = {1, 1, 1, 0}});
    for (int64_t i = 1; i <= 2; ++i) {
      MadeUp{.mixer = "s4d", .init = init + i, .data = data + i, .correct = {0, 1, 0, 0}}.Write(
          path + "/s4d-" + std::to_string(i));
    }
    return JsonOf({"compare", path, "--json"})["cells"][0]["pairs"][0];
  };
  CHECK(pair_of("both", 0, 1)["shared_seeds"] == 2);  // data alone: init 1 with data 2
  CHECK(pair_of("same", 0, 0)["shared_seeds"] == 2);
  const json none = pair_of("none", 0, 10);
  CHECK(none["shared_seeds"] == 0);
  CHECK(none["verdict"] == "-");
  CHECK(none["note"].get<std::string>().find("share no data seed") != std::string::npos);
}

TEST_CASE("results from before sums were kept are compared over seeds alone, which is said") {
  const test::TempFolder folder;
  WriteSeeds(folder.path(), "gru", 6, {.mixer = "gru", .correct = {1, 1, 1, 0}, .sums = false});
  WriteSeeds(folder.path(), "s4d", 6, {.mixer = "s4d", .correct = {0, 1, 0, 0}});
  const json pair = JsonOf({"compare", folder.path(), "--json"})["cells"][0]["pairs"][0];
  CHECK(pair["basis"] == "seeds");
  CHECK(pair["value"] == 0.5);
  CHECK(pair["note"].get<std::string>().find("no sums by sequence") != std::string::npos);
}

TEST_CASE("what cannot be compared is refused in a sentence") {
  const test::TempFolder folder;
  const std::string all = folder / "all";
  const auto refused = [&](int code, const std::string& words) {
    const Outcome outcome = RunSsmctl({"compare", all});
    CAPTURE(outcome.err);
    CHECK(outcome.code == code);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.starts_with("error: "));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(outcome.err.find(words) != std::string::npos);
    RemoveTree(all);
  };
  refused(66, "there is no such folder");
  MakeDirectories(all + "/empty");
  refused(66, "neither a run nor a folder of runs");
  WriteSeeds(all, "gru", 3, {.correct = kAllRight});
  refused(64, "there is one arm, gru (3 runs)");
  WriteSeeds(all, "gru", 1, {.correct = kAllRight});
  MadeUp{.mixer = "s4d", .correct = kAllRight, .state = "stopped"}.Write(all + "/s4d");
  refused(66, "s4d: its training is not finished (stopped at step 4)");
  WriteSeeds(all, "gru", 1, {.correct = kAllRight});
  MadeUp{.mixer = "s4d", .window = 4, .correct = kAllRight}.Write(all + "/s4d");
  refused(64, "different tasks (relocate.tokens with window 8 and 4)");
  WriteSeeds(all, "gru", 1, {.correct = kAllRight});
  MadeUp{.mixer = "s4d", .length = 96, .correct = kAllRight}.Write(all + "/s4d");
  refused(64, "no cell was scored in every run (");
  WriteSeeds(all, "gru", 1, {.correct = kAllRight});
  MadeUp{.mixer = "s4d", .eval = 7, .correct = kAllRight}.Write(all + "/s4d");
  refused(64, "scored on different sequences (seed.eval 1000 and 7)");
  WriteSeeds(all, "gru", 1, {.correct = kAllRight});
  MadeUp{.correct = kAllRight}.Write(all + "/again");
  refused(64, "are one experiment under the same seeds (init 1, data 1)");
  WriteSeeds(all, "gru", 1, {.correct = kAllRight});
  MadeUp{.mixer = "s4d", .correct = kAllRight}.Write(all + "/s4d");
  RemoveTree(all + "/s4d/results");
  refused(66, "it has no results; run \"ssmctl eval ");
}

TEST_CASE("runs as they are trained and evaluated: paired sequences, FLOPs as a plan says") {
  Tiny tiny(test::kTinyRelocate);
  const std::string root = tiny.folder / "sweep";
  for (const std::string mixer : {"gru", "s4d"}) {
    for (const std::string seed : {"1", "2"}) {
      const std::string run = root + "/" + mixer + seed;
      JsonOf({"train", tiny.config, "model.block.mixer={\"type\":\"" + mixer + "\"}",
              "seed=" + seed, "--out", run, "--json", "--quiet"});
      JsonOf({"eval", run, "--json", "--quiet"});
    }
  }
  const json cell = JsonOf({"compare", root, "--json"})["cells"][0];
  REQUIRE(cell["arms"].size() == 2);
  const json plan = JsonOf({"train", tiny.config, "--dry-run", "--json", "--quiet"});
  CHECK(cell["arms"][0]["training_flops"] == plan["flops"]);
  CHECK(cell["arms"][0]["params"] == plan["params"]);
  const json& pair = cell["pairs"][0];
  CHECK(pair["basis"] == "seeds and sequences");
  CHECK(pair["low"].get<double>() < pair["high"].get<double>());
  const double first = cell["arms"][0]["units"][1]["value"];
  const double second = cell["arms"][1]["units"][1]["value"];
  CHECK(pair["values"][1].get<double>() == doctest::Approx(first - second));
  CHECK(JsonOf({"compare", root, "--json"})["cells"][0] == cell);
}
