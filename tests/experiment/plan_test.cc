#include "ssm/experiment/plan.h"

#include <doctest/doctest.h>

#include "experiment/tiny_experiment.h"
#include "ssm/experiment/eval_plan.h"
#include "ssm/training/trainer.h"
#include "support/error_of.h"

namespace ssm {
namespace {

TEST_CASE("counts what the model is") {
  const test::TinyExperiment tiny;
  const Experiment experiment = tiny.Read();
  const auto model = MakeModel<float>(*experiment.config);
  const TrainPlan plan = CountTraining(*experiment.config);
  CHECK(plan.params == model->parameters().count());
  CHECK(plan.state_bytes == 4 * 4);  // four channels of float
  CHECK(plan.flops == 24 * plan.flops_per_step);
  CHECK(plan.product_flops > 0);
  CHECK(plan.product_flops < plan.flops);
  CHECK(CountTraining(*tiny.Read({"dtype=float64"}).config).state_bytes == 2 * plan.state_bytes);
}

TEST_CASE("arithmetic grows with sequences, memory with those of one micro-batch") {
  const test::TinyExperiment tiny;
  const auto plan = [&](std::vector<std::string> changes) {
    return CountTraining(*tiny.Read(changes).config);
  };
  const TrainPlan one = plan({"train.batch=64", "task.steps=512"});
  const TrainPlan twice = plan({"train.batch=64", "task.steps=512", "train.accumulate=2"});
  const TrainPlan wide = plan({"train.batch=128", "task.steps=512"});
  CHECK(twice.flops == doctest::Approx(2 * one.flops).epsilon(1e-4));
  CHECK(wide.flops == doctest::Approx(2 * one.flops).epsilon(1e-4));
  CHECK(wide.product_flops == doctest::Approx(2 * one.product_flops).epsilon(1e-4));
  CHECK(twice.peak_bytes == one.peak_bytes);
  CHECK(wide.peak_bytes > one.peak_bytes + (1 << 20));
}

TEST_CASE_TEMPLATE("the tapes it plans are the tapes that train", T, float, double) {
  const test::TinyExperiment tiny;
  const Experiment experiment =
      tiny.Read({std::is_same_v<T, float> ? "dtype=float32" : "dtype=float64", "train.batch=6",
                 "train.shards=4", "task.steps=100", "train.eval_every=0"});
  const auto model = MakeModel<T>(*experiment.config);
  Workers workers(1);
  Trainer<T> trainer(*model, *experiment.config->task, experiment.config->train, 3, workers);
  trainer.Step();
  const int64_t planned = CountTraining(*experiment.config).peak_bytes;
  // What the plan counts beyond the trainer: program, batches, initial values, a checkpoint.
  const int64_t beyond = planned - trainer.bytes();
  CHECK(beyond > 10 << 20);
  CHECK(beyond < (10 << 20) + 200000);
}

TEST_CASE("chunks take the memory of one, and a third more arithmetic") {
  const test::TinyExperiment tiny;
  const auto read = [&](const std::string& chunk) {
    return tiny.Read({"train.batch=2", "train.shards=1", "task.steps=4096", "train.eval_every=0",
                      "train.chunk=" + chunk});
  };
  const TrainPlan whole = CountTraining(*read("0").config);
  const Experiment chunked = read("128");
  const TrainPlan plan = CountTraining(*chunked.config);
  CHECK(plan.flops_per_step == doctest::Approx(whole.flops_per_step * 4 / 3).epsilon(0.02));
  const auto model = MakeModel<float>(*chunked.config);
  Workers workers(1);
  Trainer<float> trainer(*model, *chunked.config->task, chunked.config->train, 3, workers);
  trainer.Step();
  const int64_t beyond = plan.peak_bytes - trainer.bytes();
  CHECK(beyond > 10 << 20);
  CHECK(beyond < (10 << 20) + 400000);  // the batch, 2 x 4096 x 3 numbers and starts, is most
  CHECK(trainer.bytes() < (whole.peak_bytes - (10 << 20)) / 4);
}

TEST_CASE("a plan of a large batch holds none and says the same") {
  const test::TinyExperiment tiny;
  const auto plan = [&](const std::string& batch) {
    return CountTraining(
        *tiny.Read({"task.steps=4096", "train.eval_every=0", "train.shards=1", batch}).config);
  };
  // 400 rows are planned whole, 4000 from two small shards: ten times as much, but for what every
  // run takes.
  const TrainPlan base = plan("train.batch=40");
  const TrainPlan whole = plan("train.batch=400");
  const TrainPlan large = plan("train.batch=4000");
  const double row = static_cast<double>(whole.peak_bytes - base.peak_bytes) / 360;
  CHECK(static_cast<double>(large.peak_bytes - whole.peak_bytes) ==
        doctest::Approx(3600 * row).epsilon(1e-3));
  CHECK(large.flops == doctest::Approx(10 * whole.flops).epsilon(1e-3));
  const TrainPlan huge = plan("train.batch=1048576");
  CHECK(huge.peak_bytes > int64_t{1} << 36);
}

TEST_CASE("a ring takes its room from the start, however short the sequences") {
  const test::TinyExperiment tiny;
  const auto plan = [&](const std::string& window) {
    return CountTraining(*tiny.Read({R"(model.block.mixer={"type": "attention", "heads": 2})",
                                     R"(model.block.mixer.cache={"type": "window"})",
                                     "model.block.mixer.cache.window=" + window, "task.steps=64",
                                     "train.batch=8", "train.eval_every=0"})
                              .config);
  };
  const TrainPlan narrow = plan("1000"), wide = plan("101000");
  CHECK(wide.state_bytes == narrow.state_bytes);  // live: 64 tokens
  // Keys and values of 8 rows, four floats each.
  CHECK(wide.peak_bytes - narrow.peak_bytes >= int64_t{8} * 2 * 100000 * 4 * 4);
}

TEST_CASE("an evaluation's caches grow with its sequences") {
  const test::TinyExperiment tiny;
  const auto evaluation = [&](const std::string& cache, const std::string& steps) {
    const auto peak = [&](const std::string& every) {
      return CountTraining(
                 *tiny.Read({R"(model.block.mixer={"type": "attention", "heads": 2})", steps, cache,
                             every, "train.eval_examples=32", "eval.batch=32"})
                      .config)
          .peak_bytes;
    };
    return peak("train.eval_every=8") - peak("train.eval_every=0");
  };
  const std::string full = R"(model.block.mixer.cache={"type": "full"})";
  const std::string window = R"(model.block.mixer.cache={"type": "window", "window": 2})";
  // Keys and values of 32 rows, four floats each.
  const int64_t cache = 32 * 2 * 4096 * 4 * 4;
  CHECK(evaluation(full, "task.steps=4096") - evaluation(window, "task.steps=4096") >= cache);
}

TEST_CASE("time is measured, and said to be") {
  const test::TinyExperiment tiny;
  const Experiment experiment = tiny.Read();
  TrainPlan plan = CountTraining(*experiment.config);
  TimeTraining(*experiment.config, 1, plan);
  CHECK(plan.seconds > 0);
  CHECK(plan.seconds_basis.find("measured") == 0);
  plan.peak_bytes = int64_t{1} << 60;
  TimeTraining(*experiment.config, 4, plan);
  CHECK(plan.seconds == plan.flops / 8e9);
  CHECK(plan.seconds_basis.find("assuming") == 0);
}

TEST_CASE("evaluating takes memory on every thread") {
  const test::TinyExperiment tiny;
  const Experiment with = tiny.Read({"train.eval_examples=64", "task.steps=512"});
  const Experiment without = tiny.Read({"train.eval_every=0", "task.steps=512"});
  CHECK(CountTraining(*without.config, 4).peak_bytes == CountTraining(*without.config).peak_bytes);
  CHECK(CountTraining(*with.config).peak_bytes > CountTraining(*without.config).peak_bytes);
  CHECK(CountTraining(*with.config, 4).peak_bytes > CountTraining(*with.config).peak_bytes);
}

TEST_CASE("every sequence of a validation takes memory of its own") {
  const test::TinyExperiment tiny;
  const auto plan = [&](const std::string& examples) {
    return CountTraining(*tiny.Read({"train.eval_examples=" + examples}).config);
  };
  const TrainPlan few = plan("1000000");
  const TrainPlan many = plan("1073741824");
  CHECK(many.evaluation_bytes > few.evaluation_bytes + (int64_t{8 * 3} << 30));
  CHECK(many.peak_bytes - few.peak_bytes == many.evaluation_bytes - few.evaluation_bytes);
}

TEST_CASE("models and sequences of any size are planned or refused in no memory") {
  const test::TinyExperiment tiny;
  const TrainPlan wide =
      CountTraining(*tiny.Read({"model.d_model=65536", "model.layers=1024", "task.steps=2",
                                "train.batch=1", R"(model.block.mlp={"expand":64})"})
                         .config);
  CHECK(wide.params > int64_t{1} << 49);
  CHECK(wide.parameter_bytes > int64_t{1} << 55);
  CHECK(wide.peak_bytes > wide.parameter_bytes);
  const Experiment longest = tiny.Read({"task.steps=4096"});
  const auto thrown = test::ErrorOf([&] { CountTraining(*longest.config, 1, 1 << 16); });
  CHECK(thrown.code == ExitCode::kRefused);
  CHECK(thrown.Says("4096 steps"));
  CHECK(thrown.Says("64.0 KiB are allowed by --max-memory"));
}

TEST_CASE("a cell that does not fit is refused with both numbers") {
  const test::TinyExperiment tiny;
  const Experiment experiment = tiny.Read();
  const auto model = MakeModel<float>(*experiment.config);
  const Parameters<float> parameters(model->parameters());
  Workers workers(2);
  const EvalSubject<float> subject{.model = model.get(),
                                   .params = parameters.View(),
                                   .task = experiment.config->task.get(),
                                   .workers = &workers};
  RefuseCellThatDoesNotFit(subject, {.length = 12, .examples = 4096});
  RefuseCellThatDoesNotFit(subject, {.length = 1'000'000'000'000, .examples = 16});
  const auto thrown = test::ErrorOf(
      [&] { RefuseCellThatDoesNotFit(subject, {.length = 12, .examples = 1'000'000'000'000}); });
  CHECK(thrown.code == ExitCode::kRefused);
  CHECK(thrown.Says("1,000,000,000,000 sequences of 12 tokens"));
  CHECK(thrown.Says("lower eval.examples"));
}

}  // namespace
}  // namespace ssm
