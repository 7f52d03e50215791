// Published results that take training: rows, verdicts, and runs that are not trained twice.
#include "ssm/experiment/trained_result.h"

#include <doctest/doctest.h>

#include <cmath>

#include "experiment/tiny_experiment.h"
#include "ssm/experiment/result_verdict.h"
#include "ssm/experiment/run_directory.h"
#include "support/error_of.h"

namespace ssm::test {
namespace {

TEST_CASE("a row is an arm, a reading, maybe a bound and what was published") {
  const ResultRow full = ParseResultRow("selective  T256 >= 0.99 published 1.00, figure 2");
  CHECK(full.arm == "selective");
  CHECK(full.reading == "T256");
  CHECK(full.gated);
  CHECK_FALSE(full.upper);
  CHECK(full.bound == 0.99);
  CHECK(full.published == "1.00, figure 2");
  const ResultRow upper = ParseResultRow("fixed T256 <= -1e-3");
  CHECK(upper.upper);
  CHECK(upper.bound == -1e-3);
  CHECK(upper.published.empty());
  CHECK_FALSE(ParseResultRow("fixed T256").gated);
  CHECK(ParseResultRow("fixed T256 published 0.5").published == "0.5");
  for (const char* bad : {"", "fixed", "fixed T256 >=", "fixed T256 >= high", "fixed T256 = 1",
                          "fixed T256 <= nan", "fixed T256 >= 1 2"}) {
    CAPTURE(bad);
    const Thrown error = ErrorOf([&] { ParseResultRow(bad); });
    CHECK(error.code == ExitCode::kBadConfig);
    CHECK(error.Says("a row is an arm and a reading"));
  }
}

MeasuredRow Row(const std::string& text, const std::vector<double>& values) {
  MeasuredRow row{ParseResultRow(text), {}};
  for (const double value : values) {
    const int64_t seed = std::ssize(row.numbers) + 1;
    row.numbers.push_back({seed, {value, value - 0.01, value + 0.01}, "run"});
  }
  return row;
}

TEST_CASE("every seed has to meet a bound") {
  const auto rows =
      JudgeRows({Row("a x >= 0.9", {0.95, 0.85, 0.99}), Row("a x <= 0.99", {0.2, 0.99}),
                 Row("a x", {0.25, 0.75}), Row("b x >= 0", {1, std::nan("")})},
                SeedRule::kEvery);
  CHECK(rows[0].measured == 0.85);
  CHECK_FALSE(rows[0].holds());
  CHECK(rows[0].diagnosis == "seed 2: 0.8500 [0.8400, 0.8600]; run");
  CHECK(rows[0].each == std::vector<double>{0.95, 0.85, 0.99});
  CHECK(rows[1].measured == 0.99);
  CHECK(rows[1].holds());
  CHECK(rows[1].diagnosis.empty());
  CHECK(rows[2].measured == 0.5);
  CHECK(rows[2].holds());
  CHECK(std::isnan(rows[3].measured));
  CHECK_FALSE(rows[3].holds());
}

TEST_CASE("the best seed of an arm is one for all its rows") {
  // Seed 2 meets both; seed 1 meets one, though better; no seed of b may rise above its bound.
  const auto rows = JudgeRows({Row("a x >= 0.9", {1.0, 0.95}), Row("a y >= 0.9", {0.2, 0.91}),
                               Row("b x <= 0.1", {0.05, 0.3})},
                              SeedRule::kBest);
  CHECK(rows[0].measured == 0.95);
  CHECK(rows[1].measured == 0.91);
  CHECK(rows[2].measured == 0.3);
  CHECK(rows[0].holds());
  CHECK(rows[1].holds());
  CHECK_FALSE(rows[2].holds());
}

struct Reproduction {
  TinyExperiment tiny;
  ResultSetting setting;
  Reproduction() {
    setting.directory = ParentPath(tiny.file);
    setting.out = tiny.folder / "out";
    setting.threads = 1;
  }
  TrainedResult Read(const std::vector<std::string>& overrides = {}) const {
    TrainedResult result(tiny.catalogue.mixers, tiny.catalogue.tasks);
    ReadConfigText(R"({
        "arms": {"slow": {"config": "tiny.json", "overrides": ["train.lr=0.001"]},
                 "fast": {"config": "tiny.json"}},
        "readings": {"test": {"overrides": ["eval.examples=16"]},
                     "mse": {"overrides": ["eval.examples=16"], "metric": "mse"},
                     "late": {"overrides": ["eval.examples=16"], "axis": "step", "label": "5-8"}},
        "rows": ["fast test <= 100", "slow mse", "fast late >= 0 published 0.5"],
        "seeds": [4, 9]})",
                   "result.json", overrides, result);
    return result;
  }
};

int64_t StepsOf(const std::string& folder) { return RunDirectory::Open(folder).ReadStatus().step; }

TEST_CASE("runs are trained once, and go on where they were cut off") {
  const Reproduction r;
  const TrainedResult result = r.Read();
  const std::vector<ResultRun> runs = result.Plan(r.setting);
  REQUIRE(runs.size() == 4);
  CHECK(runs[0].arm == "fast");
  CHECK(runs[0].seed == 4);
  CHECK(runs[1].arm == "slow");
  CHECK(runs[2].seed == 9);
  CHECK_FALSE(Exists(r.setting.out));

  ResultSetting quick = r.setting;
  quick.quick = true;
  const auto one = result.Run(quick);
  CHECK(one[0].each.size() == 1);
  CHECK(Exists(runs[1].folder));
  CHECK_FALSE(Exists(runs[2].folder));
  const std::string metrics = ReadFile(JoinPath(runs[0].folder, "timing.jsonl"));

  const auto both = result.Run(r.setting);
  REQUIRE(both.size() == 3);
  CHECK(both[0].each.size() == 2);
  CHECK(both[0].each[0] == one[0].measured);
  CHECK(both[0].each[0] != both[0].each[1]);
  CHECK(both[2].published == "0.5");
  CHECK(StepsOf(runs[3].folder) == 24);
  // The first run was not touched again.
  CHECK(ReadFile(JoinPath(runs[0].folder, "timing.jsonl")) == metrics);

  // Another experiment is another folder.
  const auto longer = r.Read({"overrides=[\"train.steps=25\"]"}).Plan(r.setting);
  CHECK(longer[0].folder != runs[0].folder);
}

TEST_CASE("a training that is stopped is saved, and the same call goes on") {
  const Reproduction r;
  const TrainedResult result =
      r.Read({"overrides=[\"task.type=signalling\"]", "seeds=[4]", "rows=[\"fast test\"]"});
  SignallingTask::armed = 40;  // of the first training's sequences, 4 a step
  const Thrown stopped = ErrorOf([&] { result.Run(r.setting); });
  SignallingTask::armed = -1;
  CHECK(stopped.code == ExitCode::kStopped);
  const std::string folder = result.Plan(r.setting)[0].folder;
  CHECK(StepsOf(folder) < 24);
  CHECK(stopped.Says("goes on from there"));
  CHECK(result.Run(r.setting)[0].each.size() == 1);
  CHECK(StepsOf(folder) == 24);
}

TEST_CASE("what a trained result refuses, before anything is trained") {
  const Reproduction r;
  const auto refusal = [&](const std::string& override) {
    const Thrown error = ErrorOf([&] { r.Read({override}).Run(r.setting); });
    CHECK_FALSE(Exists(r.setting.out));
    return error;
  };
  CHECK(refusal(R"(rows=["quick test"])").Says("no arm \"quick\"; allowed: fast, slow"));
  CHECK(refusal(R"(rows=["fast train"])").Says("no reading \"train\"; allowed: late, mse, test"));
  CHECK(refusal("rows=[]").Says("is empty"));
  CHECK(refusal("seeds=[]").Says("is empty"));
  CHECK(refusal("readings.late.axis=depth").Says("is \"depth\", but tiny has no such"));
  CHECK(refusal(R"(readings.test.overrides=["eval.lengths=[4,8]"])").Says("asks for 2 cells"));
  CHECK(refusal(R"(readings.test.overrides=["train.steps=4"])").code == ExitCode::kUsage);
  CHECK(refusal(R"(arms.fast.overrides=["train.stepz=4"])").Says("stepz"));
  CHECK(refusal("arms.fast.config=none.json").code == ExitCode::kMissingInput);
}

TEST_CASE("a metric that no evaluation has is refused with those there are") {
  const Reproduction r;
  const TrainedResult result =
      r.Read({"readings.mse.metric=msd", "rows=[\"fast mse\"]", "seeds=[4]"});
  const Thrown error = ErrorOf([&] { result.Run(r.setting); });
  CHECK(error.code == ExitCode::kBadConfig);
  CHECK(error.Says("is \"msd\", which is not measured; allowed: nmse, mse"));
}

}  // namespace
}  // namespace ssm::test
