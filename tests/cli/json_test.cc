// The documents printed under --json, and where numbers in tables come from.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/tiny_experiment.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "support/temp_folder.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;

namespace {

json JsonOf(const std::vector<std::string>& arguments, int code = 0) {
  const Outcome outcome = RunSsmctl(arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == code);
  CHECK(outcome.out.find('\x1b') == std::string::npos);
  return json::parse(outcome.out);
}

/// A folder with a config and, once asked for, the run trained from it.
struct Tiny {
  explicit Tiny(const char* text) {
    config = folder / "tiny.json";
    run = folder / "run";
    AtomicWriteFile(config, text);
  }
  json Train() { return JsonOf({"train", config, "--out", run, "--json", "--quiet"}); }
  test::TempFolder folder;
  std::string config, run;
};

}  // namespace

TEST_CASE("list and describe name the same types") {
  const json list = JsonOf({"list", "--json"});
  CHECK(list["schema"] == "ssmctl.list/1");
  REQUIRE(list["mixers"].size() >= 1);
  REQUIRE(list["tasks"].size() >= 3);
  CHECK_FALSE(JsonOf({"list", "mixers", "--json"}).contains("tasks"));
  for (const char* kind : {"mixers", "tasks"}) {
    for (const json& entry : list[kind]) {
      const json schema = JsonOf({"describe", entry["type"].get<std::string>(), "--schema"});
      CHECK(schema["type"] == "object");
    }
  }
  const json schema = JsonOf({"describe", "experiment", "--schema"});
  CHECK(schema["$defs"]["config"]["properties"].contains("model"));
  CHECK(schema["$defs"]["config"]["properties"].contains("eval"));
}

TEST_CASE("task tells ceiling, heuristics and chance by metric") {
  const Tiny track(test::kTinyTrack);
  const json json_track =
      JsonOf({"task", track.config, "task.tau=30", "task.steps=600", "--examples", "8", "--json"});
  CHECK(json_track["type"] == "evidence.track");
  CHECK(json_track["ceiling"]["nmse"].get<double>() == doctest::Approx(0.2025).epsilon(1e-3));
  CHECK(json_track["chance"]["nmse"].get<double>() == doctest::Approx(1));
  CHECK(json_track["heuristics"]["nmse"].size() >= 1);
  CHECK(json_track["examples"] == 8);
  CHECK(ListDirectory(track.folder.path()) == std::vector<std::string>{"tiny.json"});

  const Tiny decide(R"({"type": "evidence.decide", "dprime": 2, "steps": 64})");
  const json json_decide = JsonOf({"task", decide.config, "--examples", "4000", "--json"});
  CHECK(json_decide["ceiling"]["accuracy"].get<double>() == doctest::Approx(0.97725).epsilon(1e-4));
  CHECK(json_decide["chance"]["accuracy"].get<double>() == doctest::Approx(0.5));
  for (const json& reference : json_decide["references"]) {
    if (reference["role"] != "ceiling" || reference["low"].is_null()) continue;
    CHECK(reference["low"].get<double>() < 0.97725);
    CHECK(reference["high"].get<double>() > 0.97725);
  }
}

TEST_CASE("task writes arrays that fit together") {
  const Tiny tiny(test::kTinyTrack);
  const std::string out = tiny.folder / "sequences";
  JsonOf({"task", tiny.config, "--out", out, "--examples", "5", "--split", "train", "--json"});
  const json spec = json::parse(ReadFile(JoinPath(out, "spec.json")));
  CHECK(spec["spec"]["reals"].size() == 1);
  for (const json& file : spec["files"]) CHECK(Exists(JoinPath(out, file.get<std::string>())));
  CHECK(Exists(JoinPath(out, "reals.npy")));
  CHECK(Exists(JoinPath(out, "targets.npy")));
  CHECK(Exists(JoinPath(out, "references.npy")));
  CHECK(FileSize(JoinPath(out, "reals.npy")) == 128 + 5 * 32 * 8);
}

TEST_CASE("task writes into an empty folder, never over a file") {
  const Tiny tiny(test::kTinyTrack);
  const std::string out = tiny.folder / "empty";
  MakeDirectory(out);
  JsonOf({"task", tiny.config, "--out", out, "--examples", "2", "--json"});
  CHECK(Exists(JoinPath(out, "spec.json")));
  const Outcome again = RunSsmctl({"task", tiny.config, "--out", out});
  CHECK(again.code == 73);
  CHECK(again.err ==
        "error: " + out + ": it holds files already; name a folder that is new or empty\n");
  const std::string before = ReadFile(tiny.config);
  const Outcome file = RunSsmctl({"task", tiny.config, "--out", tiny.config});
  CHECK(file.code == 73);
  CHECK(file.err ==
        "error: " + tiny.config + ": it is a file; name a folder that is new or empty\n");
  CHECK(ReadFile(tiny.config) == before);
}

TEST_CASE("a task of an unknown type is refused with the nearest") {
  const Tiny tiny(R"({"type": "evidence.trak"})");
  const Outcome outcome = RunSsmctl({"task", tiny.config});
  CHECK(outcome.code == 78);
  CHECK(outcome.err.find("did you mean \"evidence.track\"?") != std::string::npos);
  const Tiny unknown(R"({"type": "evidence.track", "tua": 3})");
  CHECK(RunSsmctl({"task", unknown.config}).code == 78);
  const std::string brackets(100000, '[');
  const Tiny deep(brackets.c_str());
  CHECK(RunSsmctl({"task", deep.config}).code == 78);
}

TEST_CASE("a dry run counts and writes nothing") {
  const Tiny tiny(test::kTinyTrack);
  const json plan = JsonOf({"train", tiny.config, "--dry-run", "--json"});
  for (const char* key : {"params", "state_bytes", "flops", "peak_bytes", "seconds"}) {
    CAPTURE(key);
    CHECK(plan[key].get<double>() > 0);
  }
  CHECK(plan["state_bytes"] == 4 * 4 * 4);
  CHECK(ListDirectory(tiny.folder.path()) == std::vector<std::string>{"tiny.json"});
}

TEST_CASE("the config hash printed is that of the checkpoint, and nothing is written for it") {
  Tiny tiny(test::kTinyTrack);
  const json document = JsonOf({"train", tiny.config, "--hash", "--json"});
  CHECK(document["schema"] == "ssmctl.hash/1");
  const std::string hash = document["config_hash"];
  CHECK(RunSsmctl({"train", tiny.config, "name=other", "--hash"}).out == hash + "\n");
  CHECK(RunSsmctl({"train", tiny.config, "seed=4", "--hash"}).out != hash + "\n");
  CHECK(ListDirectory(tiny.folder.path()) == std::vector<std::string>{"tiny.json"});
  tiny.Train();
  const std::string state = tiny.run + "/checkpoints/step-00000008/state.json";
  CHECK(json::parse(ReadFile(state))["config_hash"] == hash);
  const Outcome refused = RunSsmctl({"train", tiny.config, "train.steps=0", "--hash"});
  CHECK(refused.code == 78);
  CHECK(refused.out.empty());
}

TEST_CASE("train, eval and table agree on what they report") {
  Tiny tiny(test::kTinyTrack);
  const json trained = tiny.Train();
  CHECK(trained["run"] == tiny.run);
  CHECK(trained["step"] == 8);
  const json eval = JsonOf({"eval", tiny.run, "eval.lengths=[16,48]", "--json", "--quiet"});
  CHECK(eval["schema"] == "ssmctl.eval/1");
  CHECK(eval["params"] == JsonOf({"train", tiny.config, "--dry-run", "--json"})["params"]);
  CHECK(eval["state_bytes_live"] == 64);
  REQUIRE(eval["cells"].size() == 2);
  const json& cell = eval["cells"][1];
  CHECK(cell["length"] == 48);
  CHECK(cell["mode"] == "forward");
  CHECK(cell["split"] == "test");
  CHECK(cell["metric"] == "nmse");
  CHECK(cell["low"] < cell["value"]);
  CHECK(cell["value"] < cell["high"]);
  CHECK(cell["ceiling"].is_number());
  CHECK(cell["chance"].is_number());
  CHECK(cell["heuristics"].size() >= 1);
  for (const char* key : {"strata", "lags", "statistics", "references"}) CHECK(cell.contains(key));

  const json table = JsonOf({"table", tiny.run, "--json"});
  REQUIRE(table["rows"].size() == 2);
  CHECK(table["rows"][1]["cell"]["value"] == cell["value"]);
  const Outcome text = RunSsmctl({"table", tiny.run});
  CHECK(text.out.find(FormatDigits(cell["value"].get<double>(), 4)) != std::string::npos);
  CHECK(text.out.find('\x1b') == std::string::npos);
}

TEST_CASE("results do not depend on threads, and streaming agrees with forward") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  const auto value = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"eval", tiny.run, "--json", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    RemoveTree(tiny.run + "/results");
    return JsonOf(arguments)["cells"][0];
  };
  const json one = value({"--threads", "1"});
  CHECK(one == value({"--threads", "3"}));
  const json step = value({"eval.mode=step"});
  CHECK(step["value"].get<double>() == doctest::Approx(one["value"].get<double>()).epsilon(1e-4));
}

TEST_CASE("finished cells are kept, also after a kill, and give the same bytes") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  const std::vector<std::string> arguments = {"eval", tiny.run, "eval.lengths=[16,4000]",
                                              "eval.examples=600", "--quiet"};
  const std::string first = tiny.run + "/results/test-forward-T16-n600-step8-seed3.json";
  const std::string second = tiny.run + "/results/test-forward-T4000-n600-step8-seed3.json";
  const pid_t pid = test::StartSsmctl(arguments);
  while (!Exists(first) && ::waitpid(pid, nullptr, WNOHANG) == 0) ::usleep(500);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  REQUIRE(Exists(first));
  REQUIRE_FALSE(Exists(second));
  const std::string kept = ReadFile(first);
  const Outcome again =
      RunSsmctl({"eval", tiny.run, "eval.lengths=[16,4000]", "eval.examples=600"});
  CHECK(again.code == 0);
  CHECK(again.err.find("T16-n600-step8-seed3.json is finished already") != std::string::npos);
  CHECK(again.err.find("T4000-n600-step8-seed3.json is written") != std::string::npos);
  CHECK(ReadFile(first) == kept);
  const std::string continued = ReadFile(second);
  RemoveTree(tiny.run + "/results");
  RunSsmctl(arguments);
  CHECK(ReadFile(first) == kept);
  CHECK(ReadFile(second) == continued);
}

TEST_CASE("the probe split has a psychophysical kernel, samples a line each, plots a file") {
  Tiny tiny(test::kTinyDecide);
  tiny.Train();
  const std::string samples = tiny.folder / "samples.jsonl";
  const json probe = JsonOf({"eval", tiny.run, "eval.split=probe", "--samples", samples, "--plot",
                             tiny.folder / "plots", "--json", "--quiet"});
  const json& cell = probe["cells"][0];
  CHECK(cell["split"] == "probe");
  CHECK(cell["psychophysical_kernel"].size() == 16);
  const std::string lines = ReadFile(samples);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 64);
  const json line = json::parse(lines.substr(0, lines.find('\n')));
  CHECK(line["index"] == 0);
  CHECK(line["accuracy"].contains("model"));
  CHECK_FALSE(ListDirectory(tiny.folder / "plots").empty());
  CHECK(RunSsmctl({"eval", tiny.run, "eval.split=probe", "--quiet"})
            .out.find("psychophysical kernel") != std::string::npos);
}

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
  CHECK(cell["heuristics"].contains(difference["against"].get<std::string>()));
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
