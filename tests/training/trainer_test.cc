#include "ssm/training/trainer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "support/allocation_counter.h"
#include "support/error_of.h"
#include "support/leaky_mixer.h"
#include "training/tiny_task.h"

namespace ssm {
namespace {

MixerRegistry Mixers() {
  MixerRegistry mixers;
  mixers.Add<test::LeakyOptions>("leaky", "a leaky integrator");
  return mixers;
}

/// Model options that keep their registry alive.
struct TinyModel {
  MixerRegistry mixers = Mixers();
  ModelOptions options{mixers};
  explicit TinyModel(int64_t layers = 1) {
    options.d_model = 4;
    options.layers.Resize(layers);
    for (int64_t i = 0; i < layers; ++i) options.layers.at(i).mixer.Select("leaky");
  }
  template <Scalar T>
  SequenceModel<T> Make() const {
    return SequenceModel<T>(options, {.reals = 1, .tokens = {}, .outputs = 1}, 5);
  }
};

TrainOptions Options() {
  TrainOptions options;
  options.steps = 40;
  options.batch = 6;
  options.shards = 4;
  options.warmup = 2;
  options.lr = 0.02;
  return options;
}

template <Scalar T>
std::vector<T> Train(const TrainOptions& options, const Task& task, int64_t steps, int threads,
                     std::vector<double>* losses = nullptr) {
  const TinyModel tiny;
  const auto model = tiny.Make<T>();
  Workers workers(threads);
  Trainer<T> trainer(model, task, options, 9, workers);
  for (int64_t k = 0; k < steps; ++k) {
    const StepReport report = trainer.Step();
    CHECK(report.step == k + 1);
    if (losses != nullptr) losses->push_back(report.loss);
  }
  const auto flat = trainer.parameters().flat();
  return {flat.begin(), flat.end()};
}

double Distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST_CASE_TEMPLATE("threads change no bit", T, float, double) {
  const test::TinyTask task;
  std::vector<double> losses, others;
  const auto one = Train<T>(Options(), task, 10, 1, &losses);
  for (int threads : {2, 3, 5}) {
    others.clear();
    CHECK(Train<T>(Options(), task, 10, threads, &others) == one);
    CHECK(others == losses);
  }
}

TEST_CASE("the loss falls") {
  const test::TinyTask task;
  TrainOptions options = Options();
  options.steps = 200;
  std::vector<double> losses;
  Train<double>(options, task, 200, 2, &losses);
  CHECK(losses.back() < 0.2 * losses.front());
}

TEST_CASE("shards and micro-batches only change the order of sums") {
  const test::TinyTask task;
  TrainOptions options = Options();
  options.batch = 12;
  options.shards = 1;
  const auto whole = Train<double>(options, task, 5, 1);
  options.shards = 3;
  CHECK(Distance(Train<double>(options, task, 5, 1), whole) < 1e-11);
  options.batch = 4;
  options.accumulate = 3;
  CHECK(Distance(Train<double>(options, task, 5, 1), whole) < 1e-11);
}

TEST_CASE("unequal lengths weigh every scored step alike") {
  test::TinyTask task;
  task.unequal = true;
  TrainOptions options = Options();
  options.shards = 1;
  const auto whole = Train<double>(options, task, 5, 1);
  options.shards = 6;
  CHECK(Distance(Train<double>(options, task, 5, 2), whole) < 1e-11);
}

TEST_CASE("the gradient is the mean loss's") {
  // Central differences of the reported loss in one parameter.
  const test::TinyTask task;
  TrainOptions options = Options();
  options.accumulate = 2;
  const TinyModel tiny;
  const auto model = tiny.Make<double>();
  Workers workers(2);
  const ParameterInfo& info = model.parameters().infos()[0];
  const auto loss_at = [&](double shift, double* gradient) {
    Trainer<double> trainer(model, task, options, 9, workers);
    trainer.parameters().values(info)[1] += shift;
    trainer.parameters().Touch();
    const double loss = trainer.Step().loss;
    const size_t at = static_cast<size_t>(info.param.offset) + 1;
    if (gradient != nullptr) *gradient = trainer.gradients()[at];
    return loss;
  };
  double gradient = 0;
  loss_at(0, &gradient);
  const double numeric = (loss_at(1e-5, nullptr) - loss_at(-1e-5, nullptr)) / 2e-5;
  CHECK(gradient == doctest::Approx(numeric).epsilon(1e-7));
}

TEST_CASE("from the second step on, forward, backward and update allocate nothing") {
  const test::TinyTask task;
  const TinyModel tiny(2);
  const auto model = tiny.Make<float>();
  Workers workers(2);
  Trainer<float> trainer(model, task, Options(), 9, workers);
  trainer.Step(true);
  trainer.Begin(true);
  trainer.Draw(0);
  const test::AllocationScope scope;
  trainer.Accumulate();
  trainer.Update();
  trainer.Begin(true);
  CHECK(scope.count() == 0);
}

TEST_CASE("continuing from values, moments and a step gives the same bits") {
  const test::TinyTask task;
  const auto whole = Train<float>(Options(), task, 8, 2);
  const TinyModel tiny;
  const auto model = tiny.Make<float>();
  Workers workers(1);
  Trainer<float> first(model, task, Options(), 9, workers);
  for (int k = 0; k < 5; ++k) first.Step();
  Trainer<float> second(model, task, Options(), 9, workers);
  std::copy_n(first.parameters().flat().data(), whole.size(), second.parameters().flat().data());
  std::copy_n(first.optimiser().m().data(), whole.size(), second.optimiser().m().data());
  std::copy_n(first.optimiser().v().data(), whole.size(), second.optimiser().v().data());
  second.parameters().Touch();
  second.SetStep(first.step());
  for (int k = 5; k < 8; ++k) second.Step();
  const auto flat = second.parameters().flat();
  CHECK(std::vector<float>(flat.begin(), flat.end()) == whole);
}

TEST_CASE("norms of every layer on request") {
  const test::TinyTask task;
  const TinyModel tiny(2);
  const auto model = tiny.Make<double>();
  Workers workers(2);
  Trainer<double> trainer(model, task, Options(), 9, workers);
  CHECK(trainer.Step().norms.empty());
  const StepReport report = trainer.Step(true);
  REQUIRE(report.norms.size() == 2);
  for (const LayerNorms& norms : report.norms) {
    CHECK(norms.activation > 0);
    CHECK(norms.gradient > 0);
  }
}

TEST_CASE("what is not finite ends training and is named") {
  const test::TinyTask task;
  TrainOptions options = Options();
  options.lr = 1e6;
  options.clip = 0;
  const TinyModel tiny;
  const auto model = tiny.Make<float>();
  Workers workers(2);
  Trainer<float> trainer(model, task, options, 9, workers);
  const auto thrown = test::ErrorOf([&] {
    for (int k = 0; k < 40; ++k) trainer.Step();
  });
  CHECK(thrown.code == ExitCode::kDiverged);
  CHECK(thrown.Says("step "));

  Trainer<float> poisoned(model, task, Options(), 9, workers);
  poisoned.parameters().values(model.parameters().infos().back())[0] = NAN;
  CHECK(test::ErrorOf([&] {
          poisoned.Step();
        }).Says("step 1: the loss is NaN, and the first gradient that is not finite is that of"));

  Trainer<float> updated(model, task, Options(), 9, workers);
  const ParameterInfo& first = model.parameters().infos()[0];
  updated.optimiser().m()[static_cast<size_t>(first.param.offset)] = INFINITY;
  CHECK(test::ErrorOf([&] {
          updated.Step();
        }).Says("step 1: the update left " + first.name + " not finite"));
}

TEST_CASE("a batch that scores nothing and a split that holds nothing are errors") {
  test::TinyTask task;
  task.weight = 0;
  CHECK(test::ErrorOf([&] { Train<float>(Options(), task, 1, 1); }).code == ExitCode::kBadData);
  task.weight = 1;
  task.examples = 0;
  CHECK(test::ErrorOf([&] { Train<float>(Options(), task, 1, 1); }).code == ExitCode::kBadConfig);
}

TEST_CASE_TEMPLATE("an abandoned step leaves nothing behind", T, float, double) {
  const test::TinyTask task;
  TrainOptions options = Options();
  options.accumulate = 3;
  const TinyModel tiny;
  const auto model = tiny.Make<T>();
  Workers workers(2);
  Trainer<T> trainer(model, task, options, 9, workers);
  // A step asks at its start, before each of 3 x 6 sequences, after each draw, before 3 x 4 shards.
  constexpr int kQuestions = 1 + 3 * (6 + 1 + 4);
  for (int64_t step = 1; step <= 4; ++step) {
    for (int asked = 1; asked <= kQuestions; asked += 5) {
      std::atomic<int> left = asked;
      const auto before =
          std::vector<T>(trainer.parameters().flat().begin(), trainer.parameters().flat().end());
      CHECK_FALSE(trainer.StepUnless([&] { return --left <= 0; }, true).has_value());
      CHECK(trainer.step() == step - 1);
      CHECK(std::ranges::equal(before, trainer.parameters().flat()));
    }
    std::atomic<int> left = kQuestions + 1;
    const auto report = trainer.StepUnless([&] { return --left <= 0; });
    REQUIRE(report.has_value());
    CHECK(left == 1);
    CHECK(report->step == step);
  }
  CHECK(std::ranges::equal(trainer.parameters().flat(), Train<T>(options, task, 4, 1)));
}

/// Targets that single precision cannot hold.
struct HugeTask final : test::TinyTask {
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override {
    struct Huge final : SequenceStream {
      std::unique_ptr<SequenceStream> inner;
      int64_t Next(int64_t n, const PieceRow& row) override {
        const int64_t count = inner->Next(n, row);
        for (int64_t t = 0; t < count && row.targets != nullptr; ++t) row.targets[t] = 1e300;
        return count;
      }
    };
    auto stream = std::make_unique<Huge>();
    stream->inner = TinyTask::Open(seed, split, index, options);
    return stream;
  }
};

TEST_CASE("what is not finite before any update is not blamed on the learning rate") {
  const HugeTask task;
  const auto thrown = test::ErrorOf([&] { Train<float>(Options(), task, 1, 1); });
  CHECK(thrown.code == ExitCode::kDiverged);
  CHECK(thrown.Says("at step 1"));
  CHECK(thrown.Says("look at the data"));
  CHECK_FALSE(thrown.Says("Lower train.lr"));
}

}  // namespace
}  // namespace ssm
