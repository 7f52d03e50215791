#include "ssm/experiment/experiment_config.h"

#include <doctest/doctest.h>

#include "experiment/tiny_experiment.h"
#include "support/error_of.h"

namespace ssm {
namespace {

TEST_CASE("a file is read with its overrides") {
  const test::TinyExperiment tiny;
  const Experiment experiment = tiny.Read({"train.steps=30", "dtype=float64", "seed.eval=7"});
  const ExperimentConfig& config = *experiment.config;
  CHECK(config.name == "tiny");
  CHECK(config.seed.init == 3);
  CHECK(config.seed.eval == 7);
  CHECK(config.dtype == Precision::kFloat64);
  CHECK(config.train.steps == 30);
  CHECK(config.train.groups.Find("ssm")->lr == 0.001);
  CHECK(experiment.directory == tiny.folder.path());
}

TEST_CASE("what is written reads back to the same hash") {
  const test::TinyExperiment tiny;
  const Experiment experiment = tiny.Read();
  WriteNewFile(tiny.folder / "again.json", WriteConfig(*experiment.config));
  const Experiment again =
      ReadExperiment({tiny.folder / "again.json", {}}, tiny.catalogue.mixers, tiny.catalogue.tasks);
  CHECK(CompareConfigs(*experiment.config, *again.config).empty());
  CHECK(ConfigHash(*experiment.config) == ConfigHash(*again.config));
}

TEST_CASE("the hash covers everything but names and cadence") {
  const test::TinyExperiment tiny;
  const auto hash = [&](const std::string& change) {
    return ConfigHash(*tiny.Read({change}).config);
  };
  const std::string base = hash("train.steps=24");
  for (const char* same : {"name=other", "train.keep=9", "train.eval_every=3", "eval.batch=2",
                           "train.checkpoint_every=1", "train.log_norms=1"}) {
    CAPTURE(same);
    CHECK(hash(same) == base);
  }
  for (const char* other : {"train.steps=25", "train.shards=2", "seed.data=4", "dtype=float64",
                            "task.decay=0.25", "model.d_model=5", "train.groups.ssm.lr=0.5"}) {
    CAPTURE(other);
    CHECK(hash(other) != base);
  }
}

TEST_CASE("names that are no folder names, and rules between fields") {
  const test::TinyExperiment tiny;
  const auto error = [&](const std::string& change) {
    return test::ErrorOf([&] { tiny.Read({change}); });
  };
  for (const char* name : {"name=a/b", "name=.hidden", "name=", "name=a b", "name=-x"}) {
    CAPTURE(name);
    CHECK(error(name).code == ExitCode::kBadConfig);
  }
  CHECK(error("train.warmup=24").code == ExitCode::kDone);  // a run may be all warm-up
  CHECK(error("train.beta2=1").code == ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] {
          tiny.Read({"train.early_stop=2", "train.eval_every=0"});
        }).Says("/train/early_stop"));
}

TEST_CASE("where training starts from is found beside the config or here, and kept absolute") {
  const test::TinyExperiment tiny;
  WriteNewFile(tiny.folder / "start.safetensors", "x");
  const Experiment beside = tiny.Read({"train.init_from=start.safetensors"});
  CHECK(*beside.config->train.init_from == tiny.folder / "start.safetensors");
  const Experiment here = tiny.Read({"train.init_from=nowhere"});
  CHECK(here.config->train.init_from->starts_with("/"));
}

TEST_CASE("a task says what the model takes in and gives out") {
  TaskSpec spec;
  spec.reals = {"x", "y"};
  spec.tokens = {{"event", 7}};
  spec.outputs = 3;
  const ModelIo io = IoOf(spec);
  CHECK(io.reals == 2);
  REQUIRE(io.tokens.size() == 1);
  CHECK(io.tokens[0].vocabulary == 7);
  CHECK(io.outputs == 3);
}

}  // namespace
}  // namespace ssm
