#include "ssm/systems/hippo_projection.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/random.h"
#include "ssm/systems/gauss_legendre.h"
#include "ssm/systems/hippo_basis.h"

namespace ssm {
namespace {

using enum HippoMeasure;

Matrix Run(const HippoOptions& options, StepRule rule, double dt, std::span<const double> signal) {
  HippoProjection projection(options, 1, rule, dt);
  for (const double& f : signal) projection.Step({&f, 1});
  return projection.coefficients();
}

TEST_CASE("eight samples of a window and of a fading past") {
  const std::vector<double> u = {1, 2, .5, -1, 3, 0, .25, 1.5};
  const auto check = [&](HippoMeasure measure, StepRule rule, const std::vector<double>& golden) {
    CAPTURE(NameOf(measure));
    const Matrix c = Run({measure, 4}, rule, 0.125, u);
    for (size_t i = 0; i < 4; ++i) {
      CHECK(std::abs(c(static_cast<int64_t>(i), 0) - golden[i]) < 1e-10);
    }
  };
  check(kLegTHalved, StepRule::kBilinear,
        {.452856928189, .381114419367, -.035678724042, -.009169767965});
  check(kLegTHalved, StepRule::kZoh, {.455750840203, .37641519057, -.035086638812, -.008633650209});
  check(kLagT, StepRule::kBilinear, {.706519317745, .372886906237, .154179950247, .02041115876});
}

TEST_CASE("order 1 by every rule") {
  // LagT: c' = -c/2 + f.
  const auto step = [](StepRule rule) {
    const HippoProjection projection({kLagT, 1}, 1, rule, 0.4);
    return std::pair(projection.discrete().A(0, 0), projection.discrete().B(0, 0));
  };
  CHECK(step(StepRule::kForwardEuler).first == doctest::Approx(0.8));
  CHECK(step(StepRule::kForwardEuler).second == doctest::Approx(0.4));
  CHECK(step(StepRule::kBackwardEuler).first == doctest::Approx(1 / 1.2));
  CHECK(step(StepRule::kBackwardEuler).second == doctest::Approx(0.4 / 1.2));
  CHECK(step(StepRule::kBilinear).first == doctest::Approx(0.9 / 1.1));
  CHECK(step(StepRule::kBilinear).second == doctest::Approx(0.4 / 1.1));
  CHECK(step(StepRule::kZoh).first == doctest::Approx(std::exp(-0.2)));
  CHECK(step(StepRule::kZoh).second == doctest::Approx(2 * (1 - std::exp(-0.2))));
}

TEST_CASE("LagT by the exact rule is the projection of the held samples") {
  constexpr int64_t kOrder = 24;
  constexpr double kStep = 0.3;
  Random random(2, RandomStream::kTest, 1);
  std::vector<double> f(200);
  for (double& value : f) value = random.Normal();
  const Matrix c = Run({kLagT, kOrder}, StepRule::kZoh, kStep, f);
  // The integral over each sample's ages, by Gauss's nodes. LagT's functions are orthonormal, so
  // those of the basis are those that are projected on.
  const Quadrature rule = GaussLegendre(20);
  std::vector<double> expected(kOrder);
  for (size_t d = 0; d < f.size(); ++d) {
    std::vector<double> ages = rule.nodes;
    for (double& age : ages) age = (static_cast<double>(d) + age) * kStep;
    const Matrix basis = HippoBasis({kLagT, kOrder}, ages);
    for (int64_t q = 0; q < basis.rows; ++q) {
      const double weight = kStep * rule.weights[static_cast<size_t>(q)] * f[f.size() - 1 - d];
      for (int64_t i = 0; i < kOrder; ++i) expected[static_cast<size_t>(i)] += weight * basis(q, i);
    }
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(std::abs(c(static_cast<int64_t>(i), 0) - expected[i]) < 1e-12);
  }
}

TEST_CASE("three names of one window remember one signal") {
  Random random(2, RandomStream::kTest, 2);
  std::vector<double> f(90);
  for (double& value : f) value = random.Normal();
  const std::vector<double> ages = {0, 0.1, 0.55, 1};
  const auto remembered = [&](HippoMeasure measure) {
    const HippoOptions options{measure, 9};
    return Reconstruct(options, Run(options, StepRule::kZoh, WindowLength(measure) / 40, f), ages);
  };
  const Matrix legt = remembered(kLegT), halved = remembered(kLegTHalved), lmu = remembered(kLmu);
  for (int64_t i = 0; i < legt.rows; ++i) {
    CHECK(halved(i, 0) == doctest::Approx(legt(i, 0)).epsilon(1e-11));
    CHECK(lmu(i, 0) == doctest::Approx(legt(i, 0)).epsilon(1e-11));
  }
}

TEST_CASE("a window of a polynomial is remembered as that polynomial") {
  // A quadratic f lies in LegT's span, so the guess of the sample that leaves is right and the
  // state is exact but for the held samples: their means differ from f by O(dt^2).
  const double dt = 0.001;
  const auto f = [](double t) { return 1 + t - 0.3 * t * t; };
  std::vector<double> samples(4000);
  for (size_t t = 0; t < samples.size(); ++t) samples[t] = f((static_cast<double>(t) + 0.5) * dt);
  const std::vector<double> ages = {0, 0.3, 0.9, 1};
  for (HippoMeasure measure : {kLegT, kLmu}) {
    const HippoOptions options{measure, 6};
    const Matrix found = Reconstruct(options, Run(options, StepRule::kZoh, dt, samples), ages);
    for (size_t i = 0; i < ages.size(); ++i) {
      CHECK(std::abs(found(static_cast<int64_t>(i), 0) - f(4 - ages[i])) < 1e-4);
    }
  }
}

TEST_CASE("LegS without 1 / t remembers a warped past") {
  // e^(2t) falls with age tau as x^2, x = e^-tau, which is in the span: at age a = 1 - x of the
  // basis.
  const double dt = 0.005;
  std::vector<double> samples(3000);
  for (size_t t = 0; t < samples.size(); ++t) {
    samples[t] = std::exp(2 * ((static_cast<double>(t) + 0.5) * dt - 15));
  }
  const HippoOptions options{kLegS, 5};
  const std::vector<double> ages = {0, 0.3, 0.5, 0.9};
  const Matrix found = Reconstruct(options, Run(options, StepRule::kZoh, dt, samples), ages);
  for (size_t i = 0; i < ages.size(); ++i) {
    const double tau = -std::log(1 - ages[i]);
    CHECK(std::abs(found(static_cast<int64_t>(i), 0) - std::exp(-2 * tau)) < 2e-4);
  }
}

TEST_CASE("channels do not see each other, and the dead state of FouT stays 0") {
  HippoProjection both({kFouT, 8}, 2, StepRule::kZoh, 0.05);
  HippoProjection alone({kFouT, 8}, 1, StepRule::kZoh, 0.05);
  for (int t = 0; t < 100; ++t) {
    const double pair[] = {std::sin(t), std::cos(2.0 * t)};
    both.Step(pair);
    alone.Step({pair + 1, 1});
  }
  for (int64_t i = 0; i < 8; ++i) {
    CHECK(both.coefficients()(i, 1) == doctest::Approx(alone.coefficients()(i, 0)).epsilon(1e-13));
  }
  CHECK(both.coefficients()(1, 0) == 0);
}

TEST_CASE("a step that is no step is refused") {
  for (double dt : std::initializer_list<double>{0, -1, std::nan(""), HUGE_VAL}) {
    CHECK_THROWS_AS(HippoProjection({kLegT, 4}, 1, StepRule::kZoh, dt), Error);
  }
  CHECK_THROWS_AS(HippoProjection({kFouT, 3}, 1, StepRule::kZoh, 1), Error);
}

}  // namespace
}  // namespace ssm
