// Forward and backward of whole models: gradients, plans, allocations, norms, dropout.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "models/model_fixture.h"
#include "support/allocation_counter.h"

namespace ssm {
namespace {

using test::Batch;
using test::LeakyModel;
using test::Runner;

const ModelIo kIo{.reals = 2, .tokens = {{"object", 4}, {"place", 3}}, .outputs = 3};

/// One training pass of a small model, repeatable.
template <Scalar T>
struct Trainer {
  Runner<T> runner;
  Batch<T> batch{2, 5, 2, 9};
  State<T> state;
  std::vector<T> seed = test::Numbers<T>(2 * 5 * 3, 4);
  std::vector<std::vector<Array<T>>> shards = std::vector<std::vector<Array<T>>>(1);
  Tape<T> tape;

  explicit Trainer(const std::vector<std::string>& overrides)
      : runner(LeakyModel(overrides), kIo),
        state(runner.model.InitialState(2)),
        tape(Mode::kTrain, runner.params.View(runner.grads.data())) {
    batch.has_tokens = batch.has_dt = true;
  }
  std::vector<T> Pass(const Dropout& dropout = {}, std::span<LayerNorms> norms = {}) {
    return runner.Train(tape, batch.View(), state, dropout, norms, shards, seed);
  }
  double Objective(const Dropout& dropout = {}) {
    const std::vector<T> y = Pass(dropout);
    return std::inner_product(y.begin(), y.end(), seed.begin(), 0.0);
  }
};

void CheckGradients(Trainer<double>& trainer, const Dropout& dropout) {
  trainer.Pass(dropout);
  const Array<double> grads = trainer.runner.grads.Clone();
  for (const ParameterInfo& info : trainer.runner.model.parameters().infos()) {
    CAPTURE(info.name);
    for (int64_t i : {int64_t{0}, info.param.shape.size() - 1}) {
      double& value = trainer.runner.params.values(info)[static_cast<size_t>(i)];
      const double base = value;
      value = base + 1e-5;
      const double above = trainer.Objective(dropout);
      value = base - 1e-5;
      const double below = trainer.Objective(dropout);
      value = base;
      CHECK(std::abs(grads[info.param.offset + i] - (above - below) / 2e-5) < 1e-7);
    }
  }
}

TEST_CASE("gradients of every parameter equal central differences, prepared values included") {
  Trainer<double> plain({}), bare({"block.norm=layer", "block.residual=false", "block.output=none",
                                   "block.mlp.gated=false", "block.mixer.gated=true"});
  CheckGradients(plain, {});
  CheckGradients(bare, {});
}

TEST_CASE("gradients stay right under dropout, whose mask the key alone decides") {
  Trainer<double> trainer({"block.dropout=0.4"});
  const Dropout on{.key = 77, .row = 3};
  CheckGradients(trainer, on);
  CHECK(trainer.Pass(on) == trainer.Pass(on));
  CHECK(trainer.Pass(on) != trainer.Pass({.key = 78, .row = 3}));
  CHECK(trainer.Pass(on) != trainer.Pass());
}

TEST_CASE_TEMPLATE("a second pass has the same bits and allocates nothing", T, float, double) {
  for (const char* size : {"d_model=6", "d_model=70"}) {
    Trainer<T> trainer({size, "block.dropout=0.1"});
    const Dropout on{.key = 5};
    std::vector<LayerNorms> norms(2);
    trainer.Pass(on, norms);
    const Array<T> grads = trainer.runner.grads.Clone();
    int64_t count = 0;
    {
      const test::AllocationScope scope;
      trainer.Pass(on, norms);
      count = scope.count();
    }
    CHECK(count == 1);  // the vector Pass returns
    CHECK(std::ranges::equal(grads.flat(), trainer.runner.grads.flat()));
  }
}

TEST_CASE("a plan takes the bytes and FLOPs of a real pass") {
  Trainer<double> trainer({"block.dropout=0.1"});
  std::vector<LayerNorms> norms(2);
  trainer.Pass({.key = 5}, norms);
  Tape<double> plan(Mode::kPlan);
  PreparedValues<double> prepared(trainer.runner.model, Mode::kPlan);
  prepared.Compute({}, 64, 1);
  CHECK(prepared.tape().bytes() == [&] {
    PreparedValues<double> real(trainer.runner.model);
    real.Compute(trainer.runner.params.View(trainer.runner.grads.data()), 64, 1);
    return real.tape().bytes();
  }());
  std::vector<Array<double>> grads;
  prepared.MakeGrads(grads);
  const auto out = trainer.runner.model.Forward(
      plan, trainer.batch.View(), BindConstant(plan, trainer.state), prepared.Bind(plan, &grads), 1,
      {.key = 5}, Want::kOutput, norms);
  plan.Seed(out.y, nullptr);
  plan.Backward();
  CHECK(plan.bytes() == trainer.tape.bytes());
  CHECK(plan.flops() == trainer.tape.flops());
  CHECK(plan.ops() == trainer.tape.ops());
}

TEST_CASE("norms of every layer are those of the residual stream, and change no value") {
  Trainer<double> trainer({});
  const std::vector<double> y = trainer.Pass();
  std::vector<LayerNorms> norms(2);
  CHECK(trainer.Pass({}, norms) == y);
  for (const LayerNorms& layer : norms) {
    CHECK(layer.activation > 0);
    CHECK(layer.gradient > 0);
  }
  // Layer 0 reads the encoder's output: its norm follows from the parameters alone.
  const ParameterStore& store = trainer.runner.model.parameters();
  const auto value = [&](const char* name) {
    return trainer.runner.params.values(*store.Find(name));
  };
  double want = 0;
  for (int64_t b = 0; b < 2; ++b) {
    double square = 0;
    for (int64_t i = b * 5; i < b * 5 + 5; ++i) {
      for (size_t d = 0; d < 6; ++d) {
        const auto object = static_cast<size_t>(trainer.batch.tokens[2 * i]);
        const auto place = static_cast<size_t>(trainer.batch.tokens[2 * i + 1]);
        const double x = value("encoder.reals.weight")[2 * d] * trainer.batch.reals[2 * i] +
                         value("encoder.reals.weight")[2 * d + 1] * trainer.batch.reals[2 * i + 1] +
                         value("encoder.reals.bias")[d] +
                         value("encoder.tokens.object.weight")[6 * object + d] +
                         value("encoder.tokens.place.weight")[6 * place + d];
        square += x * x;
      }
    }
    want += std::sqrt(square / 30);
  }
  CHECK(norms[0].activation == doctest::Approx(want).epsilon(1e-12));
}

TEST_CASE("prepared gradients of two shards add up in the parameters") {
  Trainer<double> trainer({});
  trainer.Pass();
  const Array<double> once = trainer.runner.grads.Clone();
  const Param& rate = trainer.runner.model.parameters().Find("layers.0.mixer.log_rate")->param;
  const ParamView<double> view = trainer.runner.params.View(trainer.runner.grads.data());
  std::vector<std::vector<Array<double>>> shards(2);
  for (std::vector<Array<double>>& shard : shards) {
    for (const Array<double>& grad : trainer.shards[0]) shard.push_back(grad.Clone());
  }
  trainer.runner.grads.Fill(0);
  trainer.runner.prepared.Compute(view, 64, 1);
  trainer.runner.prepared.Backward(shards);
  for (int64_t i = rate.offset; i < rate.offset + 6; ++i) {
    CHECK(trainer.runner.grads[i] == doctest::Approx(2 * once[i]).epsilon(1e-12));
  }
}

}  // namespace
}  // namespace ssm
