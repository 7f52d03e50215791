// Dense discretisation with gradients, against the one of systems.
#include "ssm/kernels/discretize_dense.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "ssm/base/random.h"
#include "ssm/systems/discretization.h"
#include "ssm/systems/hippo_matrices.h"
#include "ssm/systems/system_file.h"

namespace ssm {
namespace {

using kernels::DenseRule;
using kernels::DenseSize;

struct Steps {
  Matrix a_minus_1, b_bar;
};

Steps StepsOf(const ContinuousSystem& system, double dt, DenseRule rule) {
  const DenseSize size{system.states(), system.inputs()};
  Steps steps{Matrix(size.states, size.states), Matrix(size.states, size.inputs)};
  std::vector<double> scratch(static_cast<size_t>(kernels::DiscretizeDenseScratch(size)));
  kernels::DiscretizeDense(size, rule, dt, system.A.values.data(), system.B.values.data(),
                           steps.a_minus_1.values.data(), steps.b_bar.values.data(),
                           scratch.data());
  return steps;
}

double Largest(const Matrix& matrix) {
  double largest = 0;
  for (const double value : matrix.values) largest = std::max(largest, std::fabs(value));
  return largest;
}

double Distance(const Matrix& a, const Matrix& b) {
  Matrix difference = a;
  for (size_t i = 0; i < b.values.size(); ++i) difference.values[i] -= b.values[i];
  return Largest(difference);
}

void CheckAgainstSystems(const ContinuousSystem& system, double dt, double tolerance) {
  const std::pair<DenseRule, StepRule> rules[] = {
      {DenseRule::kZoh, StepRule::kZoh},
      {DenseRule::kBilinear, StepRule::kBilinear},
      {DenseRule::kBackwardEuler, StepRule::kBackwardEuler}};
  for (const auto& [rule, step_rule] : rules) {
    CAPTURE(NameOf(step_rule));
    CAPTURE(dt);
    DiscreteSystem expected = Discretize(system, dt, step_rule);
    const Steps found = StepsOf(system, dt, rule);
    for (int64_t i = 0; i < system.states(); ++i) expected.A(i, i) -= 1;
    CHECK(Distance(found.a_minus_1, expected.A) <= tolerance * std::max(1.0, Largest(expected.A)));
    CHECK(Distance(found.b_bar, expected.B) <= tolerance * Largest(expected.B));
  }
}

/// S - P P^T - margin 1 with a few inputs.
ContinuousSystem Random(int64_t states, int64_t inputs, double size, uint64_t seed) {
  ssm::Random random(seed, RandomStream::kLaw, 0);
  ContinuousSystem system{Matrix(states, states), Matrix(states, inputs), Matrix(0, states),
                          Matrix(0, inputs)};
  Matrix P(states, states);
  for (double& value : P.values) value = random.Normal();
  for (double& value : system.B.values) value = random.Normal();
  for (int64_t i = 0; i < states; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      system.A(i, j) = size * random.Normal();
      system.A(j, i) = -system.A(i, j);
    }
  }
  for (int64_t i = 0; i < states; ++i) {
    for (int64_t j = 0; j < states; ++j) {
      for (int64_t k = 0; k < states; ++k) system.A(i, j) -= P(i, k) * P(j, k);
    }
    system.A(i, i) -= 1e-3;
  }
  return system;
}

TEST_CASE("dense steps are those of systems, from tiny to stiff") {
  for (const double dt : {1e-9, 1e-3, 0.1, 1.0, 30.0}) {
    CheckAgainstSystems(Random(12, 3, 2, 5), dt, 1e-12);
    CheckAgainstSystems(Random(1, 1, 1, 6), dt, 1e-13);
    CheckAgainstSystems(Random(33, 40, 5, 7), dt, 1e-11);
  }
}

TEST_CASE("the example systems and HiPPO are discretised as systems do it") {
  for (const char* name : {"oscillator", "double_integrator", "nonnormal", "thermal_rc"}) {
    CAPTURE(name);
    const SystemFile file =
        ReadSystemFile(std::string(SSM_SOURCE_DIR) + "/configs/systems/" + name + ".json");
    for (const double dt : {1e-3, 0.1, 2.0}) {
      CheckAgainstSystems(std::get<ContinuousSystem>(file.system), dt, 1e-12);
    }
  }
  const HippoPair pair = MakeHippo({HippoMeasure::kLegS, 32});
  const ContinuousSystem legs{pair.A, pair.B, Matrix(0, 32), Matrix(0, 1)};
  for (const double dt : {1e-3, 1e-1}) CheckAgainstSystems(legs, dt, 1e-11);
}

TEST_CASE("A_bar - 1 of a tiny step keeps the digits of A") {
  const ContinuousSystem system = Random(8, 2, 3, 9);
  constexpr double kStep = 1e-12;
  for (const DenseRule rule : {DenseRule::kZoh, DenseRule::kBilinear, DenseRule::kBackwardEuler}) {
    Steps steps = StepsOf(system, kStep, rule);
    for (double& value : steps.a_minus_1.values) value /= kStep;
    CHECK(Distance(steps.a_minus_1, system.A) <= 1e-10 * Largest(system.A));
  }
}

TEST_CASE("steps however long are finite, and forget") {
  const ContinuousSystem system = Random(16, 2, 4, 3);
  for (const double dt : {1e6, 1e18, 1e200}) {
    CAPTURE(dt);
    Steps steps = StepsOf(system, dt, DenseRule::kZoh);
    for (int64_t i = 0; i < 16; ++i) steps.a_minus_1(i, i) += 1;
    CHECK(Largest(steps.a_minus_1) < 1e-9);  // e^{-1e-3 dt} or less
    CHECK(Largest(steps.b_bar) < 1e5);
  }
}

}  // namespace
}  // namespace ssm
