#include "ssm/systems/stability.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "ssm/systems/discretization.h"
#include "ssm/systems/eigenvalues.h"
#include "support/error_of.h"
#include "systems/random_system.h"

namespace ssm {
namespace {

using Complex = std::complex<double>;

ContinuousSystem WithA(const Matrix& A) {
  return {A, Matrix(A.rows, 1), Matrix(1, A.rows), Matrix(1, 1)};
}
DiscreteSystem StepsWithA(const Matrix& A) {
  return {A, Matrix(A.rows, 1), Matrix(1, A.rows), Matrix(1, 1)};
}
Stability Verdict(const Matrix& A) { return StabilityOf(WithA(A)).verdict; }
Stability StepVerdict(const Matrix& A) { return StabilityOf(StepsWithA(A)).verdict; }

TEST_CASE("poles are mapped as matrices are") {
  const Matrix block{{-0.7, -4}, {4, -0.7}};
  for (const StepRule rule : kStepRules) {
    for (const double dt : {1e-6, 0.1, 1.0, 30.0}) {
      CAPTURE(NameOf(rule));
      CAPTURE(dt);
      const DiscreteSystem discrete = Discretize(WithA(block), dt, rule);
      const Complex expected(discrete.A(0, 0), discrete.A(1, 0));
      CHECK(std::abs(MapPole(rule, {-0.7, 4}, dt) - expected) <= 1e-13 * (1 + std::abs(expected)));
      if (std::abs(expected) > 1e-6) {
        CHECK(LogGrowth(rule, {-0.7, 4}, dt) ==
              doctest::Approx(std::log(std::abs(expected))).epsilon(1e-8));
      }
    }
  }
}

TEST_CASE("growth near 1 keeps its digits") {
  // ln |1 + z| for z = i e: e^2 / 2, which |1 + z| itself has lost.
  CHECK(LogGrowth(StepRule::kForwardEuler, {0, 1e-9}, 1) == doctest::Approx(5e-19).epsilon(1e-12));
  CHECK(LogGrowth(StepRule::kBackwardEuler, {0, 1e-9}, 1) ==
        doctest::Approx(-5e-19).epsilon(1e-12));
  CHECK(LogGrowth(StepRule::kBilinear, {-1e-20, 1}, 1) ==
        doctest::Approx(-1e-20 / 1.25).epsilon(1e-12));
  CHECK(LogGrowth(StepRule::kZoh, {-1e-20, 1}, 1) == -1e-20);
}

TEST_CASE("continuous systems") {
  CHECK(Verdict({{-1, 100}, {0, -1e-30}}) == Stability::kStable);
  CHECK(Verdict({{0, 1}, {-4, 0}}) == Stability::kMarginal);
  CHECK(Verdict({{0, 1}, {-4, -1e-10}}) == Stability::kStable);
  CHECK(Verdict({{0, 1}, {-4, 1e-10}}) == Stability::kUnstable);
  CHECK(Verdict({{0}}) == Stability::kMarginal);
  CHECK(Verdict(Matrix(3, 3)) == Stability::kMarginal);
  CHECK(Verdict(Matrix()) == Stability::kStable);
}

TEST_CASE("lasting modes that are short of eigenvectors grow") {
  CHECK(Verdict({{0, 1}, {0, 0}}) == Stability::kUnstable);
  CHECK(StepVerdict({{1, 1}, {0, 1}}) == Stability::kUnstable);
  // Two oscillators of one frequency, one driving the other: resonance. Side by side they last.
  CHECK(Verdict({{0, 1, 0, 0}, {-1, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, -1, 0}}) ==
        Stability::kUnstable);
  CHECK(Verdict({{0, 1, 0, 0}, {-1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, -1, 0}}) ==
        Stability::kMarginal);
  const StabilityReport report = StabilityOf(WithA({{0, 1}, {0, 0}}));
  CHECK(report.Text().find("short of 1 eigenvector: it grows like a power of time") !=
        std::string::npos);
  // Not triangular: the eigenvalues of a turned double integrator are rounded.
  const double c = std::cos(0.3), s = std::sin(0.3);
  CHECK(Verdict({{-c * s, c * c}, {-s * s, c * s}}) == Stability::kUnstable);
  // Close to the double integrator, but bounded: 1e9 at most.
  CHECK(Verdict({{0, 1}, {0, -1e-9}}) == Stability::kMarginal);
  // Stable defective modes decay all the same.
  CHECK(Verdict({{-1, 1}, {0, -1}}) == Stability::kStable);
}

TEST_CASE("discrete systems") {
  CHECK(StepVerdict({{0.5, 9}, {0, -0.999}}) == Stability::kStable);
  CHECK(StepVerdict({{-1}}) == Stability::kMarginal);
  CHECK(StepVerdict({{0, -1}, {1, 0}}) == Stability::kMarginal);
  CHECK(StepVerdict({{std::cos(1.0), -std::sin(1.0)}, {std::sin(1.0), std::cos(1.0)}}) ==
        Stability::kMarginal);
  CHECK(StepVerdict({{0.6, 0.9}, {-0.9, 0.6}}) == Stability::kUnstable);
  const StabilityReport dead_beat = StabilityOf(StepsWithA({{0, 1}, {0, 0}}));
  CHECK(dead_beat.verdict == Stability::kStable);
  CHECK(std::isinf(dead_beat.modes[0].log_growth));
}

TEST_CASE("forward Euler is stable up to dt = 2 |Re lambda| / |lambda|^2") {
  const Matrix A{{-1, 10}, {-10, -1}};  // lambda = -1 +- 10i: 2 / 101
  const double limit = 2.0 / 101;
  const auto verdict = [&](double dt) {
    return StabilityOf(WithA(A), dt, StepRule::kForwardEuler).verdict;
  };
  CHECK(verdict(limit * (1 - 1e-9)) == Stability::kStable);
  CHECK(verdict(limit) == Stability::kMarginal);
  CHECK(verdict(limit * (1 + 1e-9)) == Stability::kUnstable);
  for (const StepRule rule : {StepRule::kZoh, StepRule::kBilinear, StepRule::kBackwardEuler}) {
    for (const double dt : {1e-6, 1.0, 1e6}) {
      CHECK(StabilityOf(WithA(A), dt, rule).verdict == Stability::kStable);
    }
  }
}

TEST_CASE("what rules do to an oscillation that lasts, at any step") {
  const ContinuousSystem oscillator = WithA({{0, 1}, {-4, 0}});
  for (const double dt : {1e-6, 0.1, 10.0}) {
    CAPTURE(dt);
    const auto verdict = [&](StepRule rule) { return StabilityOf(oscillator, dt, rule).verdict; };
    CHECK(verdict(StepRule::kZoh) == Stability::kMarginal);
    CHECK(verdict(StepRule::kBilinear) == Stability::kMarginal);
    CHECK(verdict(StepRule::kForwardEuler) == Stability::kUnstable);
    CHECK(verdict(StepRule::kBackwardEuler) == Stability::kStable);
  }
  // A growing mode is damped by backward Euler once the step is long.
  CHECK(StabilityOf(WithA({{1}}), 0.5, StepRule::kBackwardEuler).verdict == Stability::kUnstable);
  CHECK(StabilityOf(WithA({{1}}), 2, StepRule::kBackwardEuler).verdict == Stability::kMarginal);
  CHECK(StabilityOf(WithA({{1}}), 3, StepRule::kBackwardEuler).verdict == Stability::kStable);
}

TEST_CASE("the reason names rule, measure and mode, and what it does not cover") {
  const StabilityReport report =
      StabilityOf(WithA({{-1, 0, 0}, {0, -27, 0}, {0, 0, -5}}), 0.1, StepRule::kForwardEuler);
  CHECK(report.Text() ==
        "unstable: forward_euler, dt = 0.1: |1 + dt lambda| = 1.700 for mode 3 of 3, lambda = "
        "-27.00, ln of its growth 0.531 a step. This layer only: says nothing of activations or "
        "gradients around it.");
  CHECK(report.modes[0].pole == -1.0);
  CHECK(report.modes[1].pole == -5.0);
  CHECK(report.modes[0].verdict == Stability::kStable);
  CHECK(report.modes[2].verdict == Stability::kUnstable);
  CHECK(StabilityOf(StepsWithA({{0.5}})).Text() ==
        "stable: |lambda| = 0.5000 for mode 1 of 1, lambda = 0.5000, ln of its growth -0.693 a "
        "step. This layer only: says nothing of activations or gradients around it.");
}

TEST_CASE("a discretised system has the verdict of the matrix it becomes") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Matrix A = test::RandomMatrix(4, 4, seed);
    for (const StepRule rule : kStepRules) {
      CAPTURE(seed);
      CAPTURE(NameOf(rule));
      const StabilityReport mapped = StabilityOf(WithA(A), 0.37, rule);
      const DiscreteSystem discrete = Discretize(WithA(A), 0.37, rule);
      CHECK(mapped.verdict == StabilityOf(discrete).verdict);
      double radius = 0;
      for (const ModeStability& mode : mapped.modes) {
        radius = std::max(radius, std::exp(mode.log_growth));
      }
      CHECK(radius == doctest::Approx(EigenvaluesOf(discrete.A).Radius()).epsilon(1e-11));
    }
  }
}

TEST_CASE("modal systems are judged exactly") {
  ContinuousModalSystem modal;
  modal.modes = {{{0, 3}, true}, {0, false}, {0, false}};
  modal.B = ComplexMatrix(3, 1);
  modal.C = ComplexMatrix(1, 3);
  modal.D = Matrix(1, 1);
  CHECK(StabilityOf(modal).verdict == Stability::kMarginal);
  CHECK(StabilityOf(modal).modes.size() == 4);
  CHECK(StabilityOf(modal, 0.1, StepRule::kForwardEuler).verdict == Stability::kUnstable);
  CHECK(StabilityOf(Discretize(modal, 0.1, StepRule::kZoh)).verdict == Stability::kMarginal);
  modal.modes[0].pole = {-1e-300, 3};
  modal.modes[1].pole = modal.modes[2].pole = -1;
  CHECK(StabilityOf(modal).verdict == Stability::kStable);
}

TEST_CASE("a system with faults has no verdict") {
  ContinuousSystem bad = WithA({{1}});
  bad.A(0, 0) = std::nan("");
  const auto thrown = test::ErrorOf([&] { StabilityOf(bad, -1, StepRule::kZoh); });
  CHECK(thrown.code == ExitCode::kBadConfig);
  CHECK(thrown.Says("A[0, 0] is nan"));
  CHECK(thrown.Says("dt is -1"));
}

}  // namespace
}  // namespace ssm
