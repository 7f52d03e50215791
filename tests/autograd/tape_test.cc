#include "ssm/autograd/tape.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ssm/autograd/ops/linear.h"
#include "ssm/autograd/ops/pointwise.h"
#include "ssm/autograd/ops/rms_norm.h"
#include "ssm/autograd/ops/squared_error.h"
#include "ssm/base/errors.h"
#include "support/allocation_counter.h"
#include "support/numbers.h"

namespace ssm {
namespace {

/// Two parameters W [3, 4], v [3] and a small network over them.
struct Network {
  Param weight{{3, 4}, 0}, scale{{3}, 16};
  std::vector<double> values = test::Numbers<double>(32, 1), grads = std::vector<double>(32);
  std::vector<double> x = test::Numbers<double>(2 * 5 * 4, 2),
                      target = test::Numbers<double>(2 * 5 * 3, 3),
                      w = std::vector<double>(10, 1.0);
  uint64_t version = 1;

  ParamView<double> View() { return {values.data(), grads.data(), &version}; }

  Var<double> Loss(Tape<double>& tape) const {
    const Var<double> in = tape.Bind({2, 5, 4}, x.data());
    const Var<double> hidden =
        Activate(tape, Activation::kGelu, Linear(tape, in, tape.Use(weight)));
    const Var<double> y = RmsNorm(tape, hidden, tape.Use(scale));
    return SquaredError(tape, y, tape.Copy({2, 5, 3}, target.data()), tape.Bind({2, 5}, w.data()));
  }
};

double Pass(Network& network, Tape<double>& tape) {
  tape.Reset();
  std::ranges::fill(network.grads, 0.0);
  const Var<double> loss = network.Loss(tape);
  const double one = 1;
  tape.Seed(loss, &one);
  tape.Backward();
  return tape.Live() ? tape.value(loss)[0] : 0;
}

TEST_CASE("parameter gradients equal central differences of the loss") {
  Network network;
  Tape<double> tape(Mode::kTrain, network.View());
  Pass(network, tape);
  const std::vector<double> grads = network.grads;
  for (size_t i : {0u, 5u, 11u, 16u, 18u}) {
    const double base = network.values[i];
    network.values[i] = base + 1e-5;
    const double above = Pass(network, tape);
    network.values[i] = base - 1e-5;
    const double below = Pass(network, tape);
    network.values[i] = base;
    CHECK(grads[i] == doctest::Approx((above - below) / 2e-5).epsilon(1e-7));
  }
  for (size_t i : {12u, 15u, 19u, 31u}) CHECK(grads[i] == 0);  // gaps of the flat buffer
}

TEST_CASE("a second pass has the same bits and allocates nothing") {
  Network network;
  Tape<double> tape(Mode::kTrain, network.View());
  const double first = Pass(network, tape);
  const std::vector<double> grads = network.grads;
  const size_t bytes = tape.bytes();
  const test::AllocationScope scope;
  const double second = Pass(network, tape);
  CHECK(scope.count() == 0);
  CHECK(first == second);
  CHECK(grads == network.grads);
  CHECK(tape.bytes() == bytes);
}

TEST_CASE("a plan takes the bytes and FLOPs of a real pass, and touches no value") {
  Network network;
  Tape<double> real(Mode::kTrain, network.View()), plan(Mode::kPlan);
  network.Loss(real);
  const Var<double> loss = network.Loss(plan);
  CHECK(plan.bytes() == real.bytes());
  CHECK(plan.flops() == real.flops());
  CHECK(plan.product_flops() == 2 * 10 * 4 * 3);  // Linear alone: two for each of x W^T
  CHECK(real.product_flops() == plan.product_flops());
  CHECK(plan.ops() == real.ops());
  CHECK(plan.value(loss) == nullptr);
  Pass(network, real);
  Pass(network, plan);
  CHECK(plan.bytes() == real.bytes());
}

TEST_CASE("inference computes the same value, records nothing and cannot go back") {
  Network network;
  Tape<double> train(Mode::kTrain, network.View()), infer(Mode::kInfer, network.View());
  const double trained = train.value(network.Loss(train))[0];
  CHECK(infer.value(network.Loss(infer))[0] == trained);
  CHECK(infer.ops() == 0);
  CHECK(infer.bytes() < train.bytes());
  CHECK_THROWS_AS(infer.Backward(), Error);
}

TEST_CASE("seeds add up, with their scales, on any number of outputs") {
  const double x[2] = {3, 5}, g1[2] = {1, 10}, g2[2] = {100, 1000};
  Tape<double> tape(Mode::kTrain);
  const Var<double> in = tape.Watch({2}, x);
  const Var<double> twice = Scale(tape, in, 2.0), square = Multiply(tape, in, in);
  tape.Seed(twice, g1);
  tape.Seed(twice, g1, 2.0);
  tape.Seed(square, g2, 0.5);
  tape.Seed(in, g1);
  tape.Backward();
  CHECK(tape.grad(in)[0] == 3 * 2 * 1 + 2 * 3 * 50 + 1);
  CHECK(tape.grad(in)[1] == 3 * 2 * 10 + 2 * 5 * 500 + 10);
}

TEST_CASE("a gradient that nobody seeded is null, and constants want none") {
  const double x[2] = {3, 5};
  Tape<double> tape(Mode::kTrain);
  const Var<double> watched = tape.Watch({2}, x), constant = tape.Bind({2}, x);
  const Var<double> unused = Scale(tape, watched, 2.0);
  CHECK(!tape.wants(constant));
  CHECK(!tape.wants(Scale(tape, constant, 2.0)));
  CHECK(tape.wants(unused));
  tape.Backward();
  CHECK(tape.grad(watched) == nullptr);
}

TEST_CASE("Bind adds into the caller's gradient") {
  const double x[1] = {3}, one = 1;
  double grad[1] = {7};
  Tape<double> tape(Mode::kTrain);
  const Var<double> y = Scale(tape, tape.Bind({1}, x, grad), 2.0);
  tape.Seed(y, &one);
  tape.Backward();
  CHECK(grad[0] == 9);
}

TEST_CASE("Stop keeps the value and lets no gradient through; replay freezes it") {
  double x[1] = {3};
  const double one = 1;
  StopLog<double> log;
  Tape<double> tape(Mode::kTrain);
  tape.RecordStops(&log);
  const auto run = [&] {
    tape.Reset();
    const Var<double> in = tape.Watch({1}, x);
    const Var<double> y = Multiply(tape, in, tape.Stop(Scale(tape, in, 2.0)));
    tape.Seed(y, &one);
    tape.Backward();
    CHECK(tape.grad(in)[0] == doctest::Approx(tape.value(y)[0] / x[0]));
    return tape.value(y)[0];
  };
  CHECK(run() == 18);
  tape.RecordStops(nullptr);
  tape.ReplayStops(&log);
  x[0] = 4;
  CHECK(run() == 4 * 6);
  tape.ReplayStops(nullptr);
  CHECK(run() == 4 * 8);
}

TEST_CASE("choices are recorded and replayed") {
  StopLog<double> log;
  Tape<double> tape(Mode::kTrain);
  tape.RecordStops(&log);
  Ints choices = tape.NewInts(2);
  choices[0] = 5;
  choices[1] = 7;
  tape.StopChoices(choices);
  tape.RecordStops(nullptr);
  tape.ReplayStops(&log);
  choices[0] = choices[1] = 0;
  tape.StopChoices(choices);
  CHECK(choices[0] == 5);
  CHECK(choices[1] == 7);
  CHECK_THROWS_AS(tape.StopChoices(choices), Error);
}

TEST_CASE("ops are listed by name, in order") {
  Network network;
  Tape<double> tape(Mode::kTrain, network.View());
  network.Loss(tape);
  std::vector<std::string> names;
  for (int64_t i = 0; i < tape.ops(); ++i) names.emplace_back(tape.op_name(i));
  CHECK(names == std::vector<std::string>{"linear", "pointwise", "rms_norm", "squared_error"});
}

TEST_CASE("an alias shares storage and gradient; only an appendable Bind has one") {
  double cache[2] = {1, 0}, grad[2] = {};
  const double seed[2] = {10, 20};
  Tape<double> tape(Mode::kTrain);
  const Var<double> bound = tape.Bind({2}, cache, grad, true);
  const Var<double> appended = tape.Alias(bound);
  tape.out(appended)[1] = 4;
  CHECK(cache[1] == 4);
  tape.Seed(appended, seed);
  CHECK(grad[1] == 20);
  CHECK_THROWS_AS(tape.Alias(tape.Bind({2}, cache)), Error);
}

TEST_CASE("counts add up by name, until Reset, and not in a plan") {
  Tape<float> tape(Mode::kInfer);
  tape.Count("late", 2);
  tape.Count("early", 0);
  tape.Count("late", 3);
  REQUIRE(tape.counts().size() == 2);
  CHECK(tape.counts()[0].n == 0);
  CHECK(tape.counts()[1].name == std::string_view("late"));
  CHECK(tape.counts()[1].n == 5);
  tape.Reset();
  CHECK(tape.counts().empty());
  Tape<float> plan(Mode::kPlan);
  plan.Count("late", 1);
  CHECK(plan.counts().empty());
}

TEST_CASE("parameters are changed on an empty tape only") {
  Network network;
  Tape<double> tape(Mode::kTrain, network.View());
  network.Loss(tape);
  CHECK_THROWS_AS(tape.SetParams(network.View()), Error);
  tape.Reset();
  std::vector<double> other(32);
  tape.SetParams({network.values.data(), other.data(), &network.version});
  const double one = 1;
  tape.Seed(network.Loss(tape), &one);
  tape.Backward();
  CHECK(other[0] != 0);
  CHECK(network.grads[0] == 0);
}

}  // namespace
}  // namespace ssm
