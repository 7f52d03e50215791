// Cells of an evaluation as files, rows and figures: each told apart, each fault in a sentence.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/tiny_experiment.h"
#include "cli/tiny_run.h"
#include "ssm/base/files.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;
using ssm::test::Tiny;

TEST_CASE("an evaluation of another task does not replace that of the trained one") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  JsonOf({"eval", tiny.run, "--json", "--quiet"});
  const json other = JsonOf({"eval", tiny.run, "task.noise=2", "--json", "--quiet"});
  CHECK(other["overrides"] == json{"task.noise=2"});
  CHECK(ListDirectory(tiny.run + "/results").size() == 2);
}

TEST_CASE("cells that differ in anything are files and rows of their own, sorted by number") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  const auto eval = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"eval", tiny.run, "--json", "--quiet"});
    return JsonOf(more);
  };
  eval({"eval.lengths=[1024,64,256]", "eval.examples=8"});
  eval({"eval.lengths=[64]", "eval.examples=8", "--checkpoint", "4"});
  eval({"eval.lengths=[64]", "eval.examples=16"});
  eval({"eval.lengths=[64]", "eval.examples=8", "seed.eval=9"});
  eval({"eval.lengths=[64]", "eval.examples=8", "task.noise=2", "task.tau=4"});
  CHECK(ListDirectory(tiny.run + "/results").size() == 7);

  const json rows = JsonOf({"table", tiny.run, "--json"})["rows"];
  json found = json::array();
  for (const json& row : rows) {
    found.push_back({row["cell"]["length"], row["overrides"], row["step"], row["seed"],
                     row["cell"]["examples"]});
  }
  const json none = json::array();
  CHECK(found == json{{64, none, 4, 3, 8},
                      {64, none, 8, 3, 8},
                      {64, none, 8, 3, 16},
                      {64, {"seed.eval=9"}, 8, 9, 8},
                      {64, {"task.tau=4", "task.noise=2"}, 8, 3, 8},
                      {256, none, 8, 3, 8},
                      {1024, none, 8, 3, 8}});
  const std::string text = RunSsmctl({"table", tiny.run}).out;
  for (const char* said : {"step", "overrides", "task.tau=4 task.noise=2", "seed.eval=9"}) {
    CHECK(text.find(said) != std::string::npos);
  }
  CHECK(RunSsmctl({"eval", tiny.run, "task.noise=2", "--quiet"}).out.find("with task.noise=2\n") !=
        std::string::npos);
}

TEST_CASE("a table has columns for runs and overrides only where they tell rows apart") {
  Tiny one(test::kTinyTrack);
  Tiny two(test::kTinyTrack);
  for (Tiny* tiny : {&one, &two}) {
    tiny->Train();
    JsonOf({"eval", tiny->run, "--json", "--quiet"});
  }
  const std::string alone = RunSsmctl({"table", one.run}).out;
  CHECK(alone.find("overrides") == std::string::npos);
  CHECK(alone.find(one.run) == std::string::npos);
  const std::string both = RunSsmctl({"table", one.run, two.run}).out;
  CHECK(both.find(one.run) < both.find(two.run));
  CHECK(both.find(two.run) != std::string::npos);
  CHECK(JsonOf({"table", two.run, "--json"})["rows"][0]["run"] == two.run);
}

TEST_CASE("an evaluation holds every name that is promised") {
  Tiny tiny(test::kTinyDecide);
  tiny.Train();
  const json eval = JsonOf({"eval", tiny.run, "eval.split=probe", "--json", "--quiet"});
  for (const char* key : {"params", "state_bytes_live", "cells"}) CHECK(eval.contains(key));
  const json& cell = eval["cells"][0];
  for (const char* key :
       {"length", "mode", "split", "metric", "value", "low", "high", "ceiling", "heuristics",
        "chance", "strata", "lags", "verdict", "verdict_difference", "psychophysical_kernel"}) {
    CAPTURE(key);
    CHECK(cell.contains(key));
  }
  const json& difference = cell["verdict_difference"];
  for (const char* key : {"against", "value", "low", "high", "basis"}) {
    CHECK(difference.contains(key));
  }
  const auto& references = cell["references"];
  CHECK(std::any_of(references.begin(), references.end(), [&](const json& reference) {
    return reference["name"] == difference["against"] && reference["role"] != "ceiling";
  }));
}

TEST_CASE("reads of linear attention that find nothing are counted and told") {
  Tiny tiny(test::kTinyTrack);
  JsonOf({"train", tiny.config, "model.block.mixer.type=linear_attention",
          "model.block.mixer.heads=4", "model.block.mixer.features=relu", "--out", tiny.run,
          "--json", "--quiet"});
  const json one = JsonOf({"eval", tiny.run, "--threads", "1", "--json", "--quiet"});
  const json counts = one["cells"][0]["counts"];
  CHECK(counts["reads"] == 64 * 32 * 4);  // sequences, steps, heads
  CHECK(counts["nothing_read"] > 0);
  RemoveTree(tiny.run + "/results");
  CHECK(JsonOf({"eval", tiny.run, "--threads", "2", "--json", "--quiet"}) == one);
  const std::string text = RunSsmctl({"eval", tiny.run, "--quiet"}).out;  // of the finished file
  CHECK(text.find(" of 8,192 reads of linear attention found nothing and gave 0 (") !=
        std::string::npos);
  const json step = JsonOf({"eval", tiny.run, "eval.mode=step", "--json", "--quiet"});
  CHECK(step["cells"][0]["counts"] == json::object());
}

TEST_CASE("plots are told of, also when there are none") {
  Tiny track(test::kTinyTrack);
  track.Train();
  const std::string plots = track.folder / "plots";
  const Outcome none = RunSsmctl({"eval", track.run, "--plot", plots});
  CHECK(none.code == 0);
  CHECK(none.err.find("neither curves nor lags") != std::string::npos);
  CHECK_FALSE(Exists(plots));
  Tiny decide(test::kTinyDecide);
  decide.Train();
  const Outcome some = RunSsmctl({"eval", decide.run, "eval.split=probe", "--plot", plots});
  for (const std::string& name : ListDirectory(plots)) {
    CHECK(some.err.find(JoinPath(plots, name) + " is written") != std::string::npos);
  }
  CHECK(ListDirectory(plots).size() == 2);  // the model's kernel and the exact one
}

TEST_CASE("a task without a probe refuses it, naming the splits it has") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"eval", tiny.run, "eval.split=probe"},
        std::vector<std::string>{"task", tiny.config, "--split", "probe"}}) {
    const Outcome outcome = RunSsmctl(arguments);
    CHECK(outcome.code == 78);
    CHECK(outcome.err ==
          "error: split \"probe\": the task has no sequence there; allowed: \"train\", "
          "\"validation\", \"test\"\n");
  }
}

TEST_CASE("files of others among the results, and outputs that cannot be, are told of") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  const std::string results = tiny.run + "/results";
  const auto refused = [&](const std::string& flag, const std::string& path, int code) {
    const Outcome outcome = RunSsmctl({"eval", tiny.run, flag, path});
    CAPTURE(outcome.err);
    CHECK(outcome.code == code);
    CHECK(outcome.err.starts_with("error: " + flag + " " + path + ": "));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  };
  refused("--samples", results + "/samples.json", 64);
  refused("--samples", tiny.folder.path(), 73);
  refused("--plot", tiny.config, 73);
  CHECK_FALSE(Exists(results));

  CHECK(RunSsmctl({"eval", tiny.run, "--samples", results + "/samples.jsonl"}).code == 0);
  CHECK(RunSsmctl({"table", tiny.run}).code == 0);
  AtomicWriteFile(results + "/stray.json", ReadFile(results + "/samples.jsonl"));
  const Outcome table = RunSsmctl({"table", tiny.run});
  CHECK(table.code == 65);
  CHECK(table.err ==
        "error: " + results +
            "/stray.json: not a result of \"ssmctl eval\": it is not one JSON document; move the "
            "file elsewhere, or remove it and evaluate again\n");
}

TEST_CASE("a path that is not UTF-8 is no fault of the program") {
  Tiny tiny(test::kTinyTrack);
  tiny.run = tiny.folder / "r\xff";
  CHECK(tiny.Train()["step"] == 8);
  CHECK(JsonOf({"eval", tiny.run, "--json", "--quiet"})["cells"].size() == 1);
  CHECK(JsonOf({"table", tiny.run, "--json"})["rows"].size() == 1);
}

TEST_CASE("a target that does not vary in the split is undefined and says why") {
  const Tiny tiny(R"({"type": "series", "file": "flat_end.csv", "context": 16})");
  std::string rows = "x\n";
  for (int i = 0; i < 400; ++i) rows += std::to_string(i < 300 ? i * 37 % 101 : 50) + "\n";
  AtomicWriteFile(tiny.folder / "flat_end.csv", rows);
  const json task = JsonOf({"task", tiny.config, "--json"});
  for (const json& reference : task["references"]) CHECK(reference["value"].is_null());
  const std::string text = RunSsmctl({"task", tiny.config}).out;
  CHECK(text.find("Undefined: the target does not vary in this split, so nmse has no unit.\n") !=
        std::string::npos);
  for (const char* odd : {" nan", " inf", " -inf"}) {
    CHECK(text.find(odd) == std::string::npos);
  }
}

TEST_CASE("a checkpoint that the best is not is never taken for it") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  AtomicWriteFile(tiny.run + "/checkpoints/BEST", "step-00000099\n");
  const Outcome outcome = RunSsmctl({"eval", tiny.run, "--quiet"});
  CHECK(outcome.code == 65);
  CHECK(outcome.err.find("step-00000099") != std::string::npos);
  CHECK(outcome.err.find("--checkpoint 8") != std::string::npos);
  CHECK(RunSsmctl({"eval", tiny.run, "--quiet", "--checkpoint", "latest"}).code == 0);
}

TEST_CASE("an override that changes the model's inputs is the fault, not the checkpoint") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  const Outcome outcome = RunSsmctl({"eval", tiny.run, "task.miss=0.5", "--quiet"});
  CHECK(outcome.code == 78);
  CHECK(outcome.err.find("task.miss=0.5 changes what the model reads") != std::string::npos);
  CHECK(outcome.err.find("Whole are") == std::string::npos);
}

TEST_CASE("a table shows what is good, each run once, and names what is not") {
  Tiny one(test::kTinyTrack);
  Tiny two(test::kTinyTrack);
  for (Tiny* tiny : {&one, &two}) {
    tiny->Train();
    JsonOf({"eval", tiny->run, "--json", "--quiet"});
  }
  const std::vector<std::string> twice = {"table", one.run, one.run + "/", two.run, "--json"};
  CHECK(JsonOf(twice)["rows"].size() == 2);
  AtomicWriteFile(two.run + "/results/bad.json", "{");
  CHECK(JsonOf(twice, 65)["rows"].size() == 2);
  const Outcome outcome = RunSsmctl({"table", one.run, two.run});
  CHECK(outcome.out.find("tiny_track") != std::string::npos);
  CHECK(outcome.err.find("results/bad.json") != std::string::npos);
}

TEST_CASE("a description of the trained task says where the cells are of another") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  const auto unlike = [&](const std::string& override) {
    const std::string text = RunSsmctl({"eval", tiny.run, override, "--quiet"}).out;
    return text.find("At its own length of 32 steps") != std::string::npos;
  };
  CHECK_FALSE(unlike("eval.lengths=[32]"));
  CHECK(unlike("eval.lengths=[64]"));
  CHECK(unlike("eval.dt_scale=2"));
  const std::string task = RunSsmctl({"task", tiny.config, "--length", "64"}).out;
  CHECK(task.find("At its own length of 32 steps") != std::string::npos);
}

TEST_CASE("a cell's JSON tells the closed form from what was measured") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  const json cell = JsonOf({"eval", tiny.run, "--json", "--quiet"})["cells"][0];
  CHECK(cell["ceiling"] != cell["ceiling_measured"]);
  const double measured = cell["ceiling_measured"];
  const double excess = (cell["value"].get<double>() - measured) / measured;
  CHECK(cell["excess"]["value"].get<double>() == doctest::Approx(excess));
}

TEST_CASE("a kernel that too few sequences leave undefined says why") {
  Tiny tiny(test::kTinyDecide);
  tiny.Train();
  const std::string text =
      RunSsmctl({"eval", tiny.run, "eval.split=probe", "eval.examples=1", "--quiet"}).out;
  CHECK(text.find("only one side was chosen in 1 sequence; raise eval.examples") !=
        std::string::npos);
}
