// inspect --on-task --caches: what cache policies lose.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/tiny_experiment.h"
#include "cli/tiny_run.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;
using ssm::test::Tiny;

namespace {

/// Asked at many lags: since the last sample that was seen.
constexpr const char* kTinyGaps = R"({
  "name": "tiny_gaps", "seed": 3, "dtype": "float64",
  "task": {"type": "evidence.track", "tau": 5, "noise": 1, "miss": 0.7, "steps": 64},
  "model": {"d_model": 8, "layers": 2,
            "block": {"mixer": {"type": "attention", "heads": 2,
                                "cache": {"type": "window", "window": 4}}}}
})";

/// Asked at one.
constexpr const char* kTinyRecall = R"({
  "name": "tiny_recall", "seed": 3, "dtype": "float64",
  "task": {"type": "delayed_recall", "symbols": 4, "delay": 6, "steps": 64},
  "model": {"d_model": 8, "layers": 1,
            "block": {"mixer": {"type": "attention", "heads": 2,
                                "cache": {"type": "window", "window": 4}}}},
  "train": {"steps": 4, "batch": 4, "warmup": 1, "eval_every": 4, "checkpoint_every": 4, "eval_examples": 8},
  "eval": {"examples": 64}
})";

}  // namespace

TEST_CASE("the page of a few caches reads as it was written") {
  Tiny tiny(kTinyGaps);
  const std::string golden =
      ReadFile(std::string(SSM_SOURCE_DIR) + "/tests/cli/golden/inspect_caches.txt");
  const Outcome outcome =
      RunSsmctl({"inspect", tiny.config, "--on-task", "--caches", "--cache", "full", "--cache",
                 R"({"type": "window", "window": 16})", "--cache",
                 R"({"type": "pooled", "window": 4, "every": 8, "pool": "conv"})"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out == golden);
}

TEST_CASE("the scores of a run's own cache are those of eval, on the same sequences") {
  Tiny tiny(kTinyRecall);
  tiny.Train();
  const json caches = JsonOf({"inspect", tiny.run, "--on-task", "--caches", "--json"});
  CHECK(caches["schema"] == "ssmctl.inspect.caches/1");
  CHECK(caches["step"] == 4);
  CHECK(caches["steps"] == 64);
  CHECK(caches["sequences"] == 64);
  CHECK(caches["metric"] == "accuracy");
  const json& own = caches["policies"][0];
  const json& full = caches["policies"][1];
  CHECK(own["own"] == true);
  CHECK(own["caches"] == json::parse(R"([{"type": "window", "window": 4}])"));
  CHECK(full["caches"] == json::parse(R"([{"type": "full"}])"));
  CHECK(full["state_bytes"] == 64 * 2 * 8 * 8);
  CHECK(own["state_bytes"] == 3 * 2 * 8 * 8);
  CHECK(own["share_of_full"] == 3.0 / 64);
  const json eval = JsonOf({"eval", tiny.run, "--json", "--quiet"});
  const double value = eval["cells"][0]["value"];
  for (const json& lag : own["by_lag"]) {
    CAPTURE(lag["lag"]);
    CHECK(lag["outputs"] == 64 * 58);
    CHECK(lag["error"] > 0);
    CHECK(lag["largest"] >= lag["error"]);
    CHECK(lag["score"].get<double>() == doctest::Approx(value).epsilon(1e-12));
    CHECK(lag["full_score"] == full["by_lag"][0]["score"]);
  }
  REQUIRE(own["by_lag"].size() == 2);
  CHECK(own["by_lag"][0]["lag"] == "4-7");
  CHECK(own["by_lag"][1]["lag"] == "all");
  for (const json& lag : full["by_lag"]) CHECK(lag["error"] == 0);
}

TEST_CASE("a figure of errors by lag") {
  Tiny tiny(kTinyRecall);
  const std::string plots = tiny.folder / "plots";
  CHECK(RunSsmctl({"inspect", tiny.config, "--on-task", "--caches", "--plot", plots, "--quiet"})
            .code == 0);
  CHECK(ListDirectory(plots) == std::vector<std::string>{"cache_error.svg"});
  CHECK(ReadFile(JoinPath(plots, "cache_error.svg")).find("window 16") != std::string::npos);
}
