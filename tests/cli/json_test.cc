// The documents printed under --json, and where numbers in tables come from.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/tiny_experiment.h"
#include "cli/tiny_run.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/cell_text.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;
using ssm::test::Tiny;

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
  const json result = JsonOf({"describe", "result", "--schema"});
  CHECK(result["$defs"]["config"]["properties"].contains("published"));
  const json trained = JsonOf({"describe", "trained", "--schema"});
  CHECK(trained["$defs"]["config"]["properties"].contains("arms"));
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
  for (const char* key :
       {"params", "state_bytes", "flops", "product_flops", "peak_bytes", "seconds"}) {
    CAPTURE(key);
    CHECK(plan[key].get<double>() > 0);
  }
  CHECK(plan["state_bytes"] == 4 * 4 * 4);
  CHECK(plan["d_model"] == 4);
  CHECK(plan["budget"] == "none");
  CHECK(ListDirectory(tiny.folder.path()) == std::vector<std::string>{"tiny.json"});
}

TEST_CASE("a dry run under a budget shows the width it buys") {
  const Tiny tiny(test::kTinyTrack);
  const std::vector<std::string> arguments = {"train", tiny.config, "--dry-run",
                                              "model.d_model=null", "budget.state_bytes=1000"};
  // d_state 4 is four numbers, 16 bytes, a channel.
  const Outcome text = RunSsmctl(arguments);
  CHECK(text.out.find("width") == 0);
  CHECK(text.out.find("62  model.d_model, solved from budget.state_bytes = 1,000") !=
        std::string::npos);
  std::vector<std::string> as_json = arguments;
  as_json.emplace_back("--json");
  const json plan = JsonOf(as_json);
  CHECK(plan["d_model"] == 62);
  CHECK(plan["state_bytes"] == 62 * 16);
  CHECK(plan["budget"]["state_bytes"] == 1000);
}

TEST_CASE("the config hash printed is that of the checkpoint, and nothing is written for it") {
  Tiny tiny(test::kTinyTrack);
  const json document = JsonOf({"train", tiny.config, "--hash", "--json"});
  CHECK(document["schema"] == "ssmctl.hash/1");
  const std::string hash = document["config_hash"];
  // With the section that the hash leaves out, as words for ssmctl eval.
  const json eval = {"eval.examples=5",     "eval.mode=step",     "eval.split=test",
                     "eval.lengths=[8,16]", "eval.dt_scale=0.25", "eval.batch=16"};
  const json other =
      JsonOf({"train", tiny.config, "--hash", "--json", "eval.examples=5", "eval.lengths=[8,16]",
              "eval.mode=step", "eval.dt_scale=0.25", "eval.batch=16"});
  CHECK(other["eval"] == eval);
  CHECK(other["config_hash"] == hash);
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
  const json plan = JsonOf({"train", tiny.config, "--dry-run", "--json"});
  CHECK(eval["params"] == plan["params"]);
  CHECK(eval["flops"] == plan["flops_per_step"].get<double>() * eval["step"].get<double>());
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
  CHECK(table["rows"][1]["flops"] == eval["flops"]);
  const Outcome text = RunSsmctl({"table", tiny.run});
  CHECK(text.out.find(FormatDigits(cell["value"].get<double>(), 4)) != std::string::npos);
  CHECK(text.out.find(FlopsText(eval["flops"].get<double>())) != std::string::npos);
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
