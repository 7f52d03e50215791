#include "ssm/experiment/resume.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "experiment/tiny_experiment.h"
#include "support/error_of.h"

namespace ssm {
namespace {

TEST_CASE("what a resume may change") {
  const test::TinyExperiment tiny;
  const Experiment before = tiny.Read();
  const auto judge = [&](const std::string& change) {
    return JudgeResume(*before.config, *tiny.Read({change}).config);
  };
  SUBCASE("names and cadence, which count as no change") {
    for (const char* change : {"name=other", "train.eval_every=3", "train.checkpoint_every=9",
                               "train.keep=1", "train.log_norms=2", "eval.examples=5"}) {
      CAPTURE(change);
      CHECK(judge(change).unchanged);
      CHECK(judge(change).extended_from == 0);
    }
  }
  SUBCASE("more steps, which is recorded") {
    CHECK_FALSE(judge("train.steps=48").unchanged);
    CHECK(judge("train.steps=48").extended_from == 24);
  }
  SUBCASE("nothing else: the field is named with both values") {
    for (const char* change :
         {"train.lr=0.5", "train.batch=8", "train.shards=2", "seed.data=9", "dtype=float64",
          "task.decay=0.25", "model.d_model=8", "model.layers=2", "train.accumulate=2"}) {
      CAPTURE(change);
      const std::string text = change;
      std::string pointer = "/" + text.substr(0, text.find('='));
      std::replace(pointer.begin(), pointer.end(), '.', '/');
      const auto thrown = test::ErrorOf([&] { judge(text); });
      CHECK(thrown.code == ExitCode::kBadConfig);
      CHECK(thrown.Says(pointer));
      CHECK(thrown.Says("the run has"));
    }
  }
  SUBCASE("fewer steps are refused") {
    CHECK(test::ErrorOf([&] { judge("train.steps=12"); }).Says("/train/steps: the run has 24"));
  }
}

TEST_CASE("a folder that is no run is not trained in") {
  const test::TempFolder folder;
  const RunDirectory run = RunDirectory::Open(folder.path());
  RequireRunOrRemains(run);
  WriteNewFile(run.lease(), "");
  WriteNewFile(folder / "config.json.3-0.tmp", "{");
  RequireRunOrRemains(run);
  RemoveTemporaries(run);
  CHECK(ListDirectory(folder.path()) == std::vector<std::string>{"lease.json"});
  WriteNewFile(folder / "thesis.tex", "");
  const auto thrown = test::ErrorOf([&] { RequireRunOrRemains(run); });
  CHECK(thrown.code == ExitCode::kCannotCreate);
  CHECK(thrown.Says("thesis.tex"));
  WriteNewFile(run.config(), "{}");
  RequireRunOrRemains(run);
}

TEST_CASE("another build or processor is noticed") {
  const test::TinyExperiment tiny;
  const RunManifest now = MakeManifest(tiny.Read(), 1, {});
  RunManifest then = now;
  CHECK(ChangedSince(then, now).empty());
  then.threads = 9;
  then.host = "elsewhere";
  CHECK(ChangedSince(then, now).empty());
  then.cpu = "another";
  then.isa = "less";
  CHECK(ChangedSince(then, now) == "instruction sets, processor");
}

}  // namespace
}  // namespace ssm
