#include "ssm/systems/simulate.h"

#include <doctest/doctest.h>

#include <limits>

#include "ssm/systems/discretization.h"
#include "support/error_of.h"
#include "systems/random_system.h"

namespace ssm {
namespace {

using test::Distance;

void CheckRoutesAgree(const DiscreteSystem& system, int64_t steps, uint64_t seed) {
  const Array<double> x = test::RandomInput(steps, system.inputs(), seed);
  const std::vector<double> start = test::Numbers<double>(system.states(), seed + 1);
  const Simulation truth = SimulateByRecurrence(system, x, start);
  CHECK(truth.y.shape() == Shape{steps, system.outputs()});
  const Simulation convolved = SimulateByConvolution(system, x, start);
  CHECK(Distance(convolved.y.flat(), truth.y.flat()) <= 1e-12);
  CHECK(Distance(convolved.state, truth.state) <= 1e-12);
  for (const int64_t chunk : {1, 2, 7, 64, 5000}) {
    CAPTURE(chunk);
    if (chunk > 1000 && steps > 1000) continue;  // a dense square of that length is slow
    const Simulation chunked = SimulateByChunks(system, x, start, chunk);
    CHECK(Distance(chunked.y.flat(), truth.y.flat()) <= 1e-12);
    CHECK(Distance(chunked.state, truth.state) <= 1e-12);
  }
}

TEST_CASE("three routes agree at any length, from an initial state") {
  for (const int64_t steps : {1, 2, 3, 5, 8, 17, 63, 64, 65, 101, 512, 997, 4096}) {
    CAPTURE(steps);
    const auto seed = static_cast<uint64_t>(steps);
    CheckRoutesAgree(Discretize(test::RandomStable(5, 2, 3, 11), 0.1, StepRule::kZoh), steps, seed);
    CheckRoutesAgree(Discretize(test::RandomStable(1, 1, 1, 2), 0.01, StepRule::kBilinear), steps,
                     seed);
  }
}

TEST_CASE("three routes agree where the state lasts, grows at first or grows for good") {
  const ContinuousSystem double_integrator{{{0, 1}, {0, 0}}, {{0}, {1}}, {{1, 0}}, {{0}}};
  const ContinuousSystem oscillator{
      {{0, 1}, {-9, -0.01}}, {{0}, {1}}, {{1, 0}, {0, 1}}, Matrix(2, 1)};
  const ContinuousSystem non_normal{{{-1, 200}, {0, -2}}, {{0}, {1}}, {{1, 0}}, {{3}}};
  const ContinuousSystem unstable{{{0.5, 1}, {0, -1}}, {{1}, {1}}, {{1, 1}}, {{0}}};
  for (const int64_t steps : {1, 2, 31, 97, 4096}) {
    CAPTURE(steps);
    for (const ContinuousSystem* system :
         {&double_integrator, &oscillator, &non_normal, &unstable}) {
      CheckRoutesAgree(Discretize(*system, 0.05, StepRule::kZoh), steps, 40);
    }
  }
}

TEST_CASE("an impulse in the last step does not wrap around to the first") {
  const DiscreteSystem system{{{0.99}}, {{1}}, {{1}}, {{0}}};
  for (const int64_t steps : {2, 3, 8, 9}) {
    Array<double> x(Shape{steps, 1});
    x[steps - 1] = 1;
    const Simulation found = SimulateByConvolution(system, x);
    CHECK(std::fabs(found.y[0]) <= 1e-15);
    CHECK(found.y[steps - 1] == doctest::Approx(1).epsilon(1e-14));
    CHECK(found.state[0] == doctest::Approx(1).epsilon(1e-14));
  }
}

TEST_CASE("a constant force on a double integrator gives a parabola") {
  const ContinuousSystem system{{{0, 1}, {0, 0}}, {{0}, {1}}, {{1, 0}}, {{0}}};
  const double dt = 0.125;
  Array<double> x(Shape{200, 1});
  x.Fill(2);
  const Simulation found =
      SimulateByRecurrence(Discretize(system, dt, StepRule::kZoh), x, std::vector<double>{5, -1});
  for (int64_t t = 0; t < 200; ++t) {
    const double time = dt * static_cast<double>(t + 1);  // y_t stands at the end of its step
    CHECK(found.y[t] == doctest::Approx(5 - time + time * time).epsilon(1e-13));
  }
  CHECK(found.state[1] == doctest::Approx(-1 + 2 * dt * 200).epsilon(1e-13));
}

TEST_CASE("a run in two parts is the run in one") {
  const DiscreteSystem system = Discretize(test::RandomStable(4, 2, 2, 9), 0.2, StepRule::kZoh);
  const Array<double> x = test::RandomInput(50, 2, 4);
  const Simulation whole = SimulateByChunks(system, x, {}, 16);
  for (const int64_t cut : {0, 1, 16, 33, 49, 50}) {
    Array<double> first(Shape{cut, 2}), second(Shape{50 - cut, 2});
    std::copy_n(x.data(), 2 * cut, first.data());
    std::copy_n(x.data() + 2 * cut, 2 * (50 - cut), second.data());
    const Simulation one = SimulateByConvolution(system, first);
    const Simulation two = SimulateByRecurrence(system, second, one.state);
    std::vector<double> y(one.y.flat().begin(), one.y.flat().end());
    y.insert(y.end(), two.y.flat().begin(), two.y.flat().end());
    CHECK(Distance(y, whole.y.flat()) <= 1e-13);
    CHECK(Distance(two.state, whole.state) <= 1e-13);
  }
}

TEST_CASE("nothing to do is done") {
  const DiscreteSystem system{{{0.5}}, {{1}}, {{1}}, {{0}}};
  const std::vector<double> start = {3};
  for (const Simulation& found : {SimulateByRecurrence(system, Array<double>(Shape{0, 1}), start),
                                  SimulateByConvolution(system, Array<double>(Shape{0, 1}), start),
                                  SimulateByChunks(system, Array<double>(Shape{0, 1}), start)}) {
    CHECK(found.y.shape() == Shape{0, 1});
    CHECK(found.state == start);
  }
  const DiscreteSystem stateless{Matrix(), Matrix(0, 2), Matrix(1, 0), {{2, -1}}};
  CheckRoutesAgree(stateless, 9, 1);
  const DiscreteSystem still{{{0.5}}, Matrix(1, 0), {{1}}, Matrix(1, 0)};
  CheckRoutesAgree(still, 9, 1);
  const DiscreteSystem blind{{{0.5}}, {{1}}, Matrix(0, 1), Matrix(0, 1)};
  CheckRoutesAgree(blind, 9, 1);
}

TEST_CASE("all faults of a problem are told at once") {
  const DiscreteSystem system{{{0.5, 0}, {0, 0.5}}, {{1}}, {{1, 0}}, {{0}}};
  Array<double> x(Shape{3, 1});
  x[2] = std::numeric_limits<double>::infinity();
  for (const auto& thrown :
       {test::ErrorOf([&] {
          SimulateByRecurrence(system, x, std::vector<double>{1, std::nan(""), 3});
        }),
        test::ErrorOf([&] {
          SimulateByConvolution(system, x, std::vector<double>{1, std::nan(""), 3});
        }),
        test::ErrorOf([&] {
          SimulateByChunks(system, x, std::vector<double>{1, std::nan(""), 3});
        })}) {
    CHECK(thrown.code == ExitCode::kBadConfig);
    CHECK(thrown.Says("B is 1 x 1"));
    CHECK(thrown.Says("input[2, 0] is inf"));
    CHECK(thrown.Says("the initial state has 3 numbers; it needs 2"));
    CHECK(thrown.Says("initial state[1] is nan"));
  }
  const DiscreteSystem good{{{0.5}}, {{1}}, {{1}}, {{0}}};
  CHECK(test::ErrorOf([&] {
          SimulateByRecurrence(good, Array<double>(Shape{3}));
        }).Says("shape [3]; it needs to be [steps, 1]"));
  CHECK(test::ErrorOf([&] {
          SimulateByChunks(good, Array<double>(Shape{3, 1}), {}, 0);
        }).Says("A chunk has 0 steps"));
}

}  // namespace
}  // namespace ssm
