#include "ssm/evaluation/evaluate.h"

#include <doctest/doctest.h>

#include <cmath>

#include "evaluation/echo_task.h"
#include "ssm/base/errors.h"
#include "ssm/config/config_file.h"
#include "ssm/evaluation/cell_memory.h"
#include "ssm/evaluation/cell_result.h"
#include "support/half_blind.h"

using namespace ssm;
using ssm::test::EchoTask;

namespace {

struct ModelConfig final : Configurable {
  explicit ModelConfig(const MixerRegistry& mixers) : model(mixers) {}
  ModelOptions model;
  void VisitFields(FieldVisitor& visitor) override { visitor.Object("model", model, "the model"); }
};

/// A small model with initial parameters: what it answers is arbitrary, and the same every time.
struct Fixture {
  Fixture() : config((RegisterMixers(mixers), mixers)) {
    ReadConfigText(
        R"({"model": {"d_model": 8, "layers": 2, "block": {"mixer": {"type": "s4d", "d_state": 8}}}})",
        "test", {}, config);
    model = std::make_unique<SequenceModel<double>>(
        config.model, ModelIo{.reals = 1, .tokens = {}, .outputs = 1}, 7);
    parameters = std::make_unique<Parameters<double>>(model->parameters());
  }

  CellScore Score(const EchoTask& task, const CellKey& key, int threads, int64_t batch) {
    Workers workers(threads);
    return ScoreCell<double>({.model = model.get(),
                              .params = parameters->View(),
                              .task = &task,
                              .seed = 5,
                              .workers = &workers,
                              .batch = batch},
                             key);
  }

  MixerRegistry mixers;
  ModelConfig config;
  std::unique_ptr<SequenceModel<double>> model;
  std::unique_ptr<Parameters<double>> parameters;
};

/// The largest difference of any sequence's loss, and of every tally.
double Difference(const CellScore& a, const CellScore& b) {
  REQUIRE(a.loss_sum.size() == b.loss_sum.size());
  REQUIRE(a.score.tallies.size() == b.score.tallies.size());
  CHECK(a.lengths == b.lengths);
  double worst = 0;
  for (size_t i = 0; i < a.loss_sum.size(); ++i) {
    worst = std::max(worst, std::abs(a.loss_sum[i] - b.loss_sum[i]));
    CHECK(a.loss_weight[i] == b.loss_weight[i]);
  }
  for (size_t k = 0; k < a.score.tallies.size(); ++k) {
    const Tally& ta = a.score.tallies[k];
    const Tally& tb = b.score.tallies[k];
    REQUIRE(ta.numerator.size() == tb.numerator.size());
    for (size_t i = 0; i < ta.numerator.size(); ++i) {
      worst = std::max(worst, std::abs(ta.numerator[i] - tb.numerator[i]));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("a cell does not depend on threads, bit for bit") {
  Fixture fixture;
  EchoTask task;
  const CellKey key{.examples = 37};
  const CellScore one = fixture.Score(task, key, 1, 4);
  CHECK(std::isfinite(one.loss()));
  CHECK(one.loss() > 0);
  CHECK(Difference(one, fixture.Score(task, key, 2, 4)) == 0);
  CHECK(Difference(one, fixture.Score(task, key, 3, 4)) == 0);
}

TEST_CASE("a cell does not depend on how rows are grouped nor on how time is cut") {
  Fixture fixture;
  EchoTask task;
  task.steps = 150;  // batch 128 walks in pieces of 64
  const CellKey key{.examples = 130};
  const CellScore alone = fixture.Score(task, key, 2, 1);
  CHECK(Difference(alone, fixture.Score(task, key, 2, 7)) < 1e-10);
  CHECK(Difference(alone, fixture.Score(task, key, 2, 128)) < 1e-10);
}

TEST_CASE("streaming says what forward says") {
  Fixture fixture;
  EchoTask task;
  task.steps = 150;
  for (const bool ragged : {false, true}) {
    CAPTURE(ragged);
    task.ragged = ragged;
    CellKey key{.examples = 9};
    const CellScore forward = fixture.Score(task, key, 2, 128);
    key.mode = EvalMode::kStep;
    const CellScore step = fixture.Score(task, key, 2, 4);
    CHECK(Difference(forward, step) < 1e-10);
    CHECK(forward.state_bytes_live == step.state_bytes_live);
    CHECK(forward.state_bytes_live == 2 * 8 * 8 * 8);  // layers, channels, numbers, bytes
    CHECK(forward.lengths[2] == (ragged ? 148 : 150));
  }
}

TEST_CASE("length and examples are resolved, and another length is another cell") {
  Fixture fixture;
  EchoTask task;
  task.held = 3;
  const CellScore own = fixture.Score(task, {.examples = 10}, 1, 2);
  CHECK(own.key.length == 20);
  CHECK(own.key.examples == 3);
  CHECK(own.loss_sum.size() == 3);
  const CellScore longer = fixture.Score(task, {.length = 33, .examples = 10}, 1, 2);
  CHECK(longer.lengths[0] == 33);
  CHECK(longer.loss_weight[0] == 32);
  task.held = 0;
  CHECK_THROWS_AS(fixture.Score(task, {}, 1, 2), Error);
}

TEST_CASE("without a model the references are scored and the model answers 0") {
  EchoTask task;
  Workers workers(2);
  const CellScore cell = ScoreCell<float>(
      {.model = nullptr, .params = {}, .task = &task, .seed = 5, .workers = &workers},
      {.examples = 500});
  CHECK(OverallMetric(cell.score, "half", "nmse") == 0);
  CHECK(OverallMetric(cell.score, "zero", "nmse") == OverallMetric(cell.score, "model", "nmse"));
  CHECK(OverallMetric(cell.score, "zero", "mse") == doctest::Approx(0.25).epsilon(0.05));
  CHECK(std::isnan(OverallMetric(cell.score, "model", "accuracy")));
  CHECK(cell.state_bytes_live == 0);
}

TEST_CASE("options make one cell for each length") {
  EvalOptions options;
  CHECK(CellsOf(options) == std::vector<CellKey>{CellKey{}});
  options.lengths = {16, 64};
  options.mode = EvalMode::kStep;
  const std::vector<CellKey> cells = CellsOf(options);
  REQUIRE(cells.size() == 2);
  CHECK(cells[1].length == 64);
  CHECK(cells[1].mode == EvalMode::kStep);
}

TEST_CASE("a watcher sees a cell grow to its end and changes no bit") {
  Fixture fixture;
  EchoTask task;
  task.steps = 150;  // batch 128 walks in pieces of 64
  Workers workers(2);
  std::vector<CellProgress> seen;
  const EvalSubject<double> subject{
      .model = fixture.model.get(),
      .params = fixture.parameters->View(),
      .task = &task,
      .seed = 5,
      .workers = &workers,
      .batch = 128,
      .watch = [&](const CellProgress& progress) { seen.push_back(progress); }};
  const CellScore watched = ScoreCell(subject, {.examples = 130});
  CHECK(Difference(watched, fixture.Score(task, {.examples = 130}, 2, 128)) == 0);
  REQUIRE(seen.size() == 4);  // three pieces and the end
  CHECK(seen[0].sequences == 0);
  CHECK(seen[0].tokens == 130 * 64);
  CHECK(seen[1].tokens == 130 * 128);
  CHECK(seen.back().sequences == 130);
  CHECK(seen.back().tokens == 130 * 150);
}

TEST_CASE("reads that find nothing are counted exactly in forward passes, and not in steps") {
  MixerRegistry mixers;
  RegisterMixers(mixers);
  const SequenceModel<float> model(test::HalfBlindOptions(mixers),
                                   {.reals = 1, .tokens = {}, .outputs = 1}, 7);
  Parameters<float> parameters(model.parameters());
  test::SetHalfBlind(parameters);
  EchoTask task;
  task.steps = 150;
  for (const bool ragged : {false, true}) {
    task.ragged = ragged;
    int64_t tokens = 0, blind = 0;
    for (uint64_t i = 0; i < 130; ++i) {
      Random random(5, RandomStream::kTest, i);
      const int64_t n = ragged ? 150 - static_cast<int64_t>(i % 3) : 150;
      tokens += n;
      for (int64_t t = 0; t < n; ++t) blind += random.Normal() <= 0 ? 1 : 0;
    }
    for (const int threads : {1, 2}) {
      for (const int64_t batch : {7, 128}) {  // whole, and in pieces of 64
        CAPTURE(ragged);
        CAPTURE(batch);
        Workers workers(threads);
        const EvalSubject<float> subject{.model = &model,
                                         .params = parameters.View(),
                                         .task = &task,
                                         .seed = 5,
                                         .workers = &workers,
                                         .batch = batch};
        const CellResult cell = Summarise(ScoreCell(subject, {.examples = 130}), task.Spec(), {});
        REQUIRE(cell.counts->size() == 2);
        CHECK(CountOf(cell, "nothing_read") == blind);
        CHECK(CountOf(cell, "reads") == 2 * tokens);
        CHECK_FALSE(CountOf(cell, "writes"));
      }
    }
    Workers workers(2);
    const EvalSubject<float> subject{.model = &model,
                                     .params = parameters.View(),
                                     .task = &task,
                                     .seed = 5,
                                     .workers = &workers};
    CHECK(ScoreCell(subject, {.mode = EvalMode::kStep, .examples = 3}).counts.empty());
  }
}

TEST_CASE("what is said to be kept of a sequence is not less than what is") {
  Fixture fixture;
  EchoTask task;
  const CellScore cell = fixture.Score(task, {.examples = 64}, 1, 16);
  size_t numbers = cell.loss_sum.size() + cell.loss_weight.size() + cell.lengths.size();
  for (const Tally& tally : cell.score.tallies) {
    numbers += tally.numerator.size() + tally.denominator.size();
  }
  const double bytes = SequenceBytes(task.Spec(), cell.key.length);
  CHECK(64 * bytes > 8.0 * static_cast<double>(numbers));
  TaskSpec more = task.Spec();
  more.references.push_back({"another", Role::kHeuristic});
  CHECK(SequenceBytes(more, cell.key.length) > bytes);
}
