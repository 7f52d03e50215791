#include "ssm/systems/discretization.h"

#include <doctest/doctest.h>

#include <limits>

#include "support/error_of.h"
#include "systems/random_system.h"

namespace ssm {
namespace {

using test::Distance;
using test::ErrorOf;
using test::RelativeDistance;
using Complex = std::complex<double>;

ContinuousSystem Scalar(double a, double b) { return {{{a}}, {{b}}, {{1}}, {{0}}}; }

TEST_CASE("ZOH of the golden second-order system") {
  const ContinuousSystem system{{{0, 1}, {-2, -3}}, {{0}, {1}}, {{1, 0}}, {{0.5}}};
  const DiscreteSystem discrete = Discretize(system, 0.1, StepRule::kZoh);
  CHECK(Distance(discrete.A, {{.990944082994, .086106664958}, {-.172213329916, .732624088120}}) <=
        1e-10);
  CHECK(Distance(discrete.B, {{.004527958503}, {.086106664958}}) <= 1e-10);
  CHECK(discrete.C == system.C);
  CHECK(discrete.D == system.D);
}

TEST_CASE("ZOH of singular and nilpotent systems is their polynomial") {
  // Three integrators in a row, and an input that enters two of them.
  const ContinuousSystem chain{
      {{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}, {{0, 2}, {0, 0}, {1, 0}}, Matrix(1, 3), Matrix(1, 2)};
  for (const double dt : {1e-12, 0.1, 7.0, 1e6}) {
    CAPTURE(dt);
    const DiscreteSystem discrete = Discretize(chain, dt, StepRule::kZoh);
    CHECK(RelativeDistance(discrete.A, {{1, dt, dt * dt / 2}, {0, 1, dt}, {0, 0, 1}}) <= 1e-15);
    CHECK(RelativeDistance(discrete.B, {{dt * dt * dt / 6, 2 * dt}, {dt * dt / 2, 0}, {dt, 0}}) <=
          1e-15);
  }
}

TEST_CASE("ZOH of an oscillator is a rotation") {
  const double w = 3;
  const ContinuousSystem system{{{0, 1}, {-w * w, 0}}, {{0}, {1}}, {{1, 0}}, {{0}}};
  for (const double dt : {1e-6, 0.05, 2.0, 300.0}) {
    CAPTURE(dt);
    const double c = std::cos(w * dt), s = std::sin(w * dt), half = std::sin(w * dt / 2);
    const DiscreteSystem discrete = Discretize(system, dt, StepRule::kZoh);
    const double rounding = 1e-15 * (4 + w * dt);
    CHECK(Distance(discrete.A, {{c, s / w}, {-w * s, c}}) <= rounding);
    CHECK(Distance(discrete.B, {{2 * half * half / (w * w)}, {s / w}}) <= rounding);
  }
}

TEST_CASE("a triangular system stays exactly triangular") {
  const int64_t n = 24;
  ContinuousSystem legs{Matrix(n, n), Matrix(n, 1), Matrix(1, n), Matrix(1, 1)};
  for (int64_t i = 0; i < n; ++i) {
    const double row = std::sqrt(2.0 * static_cast<double>(i) + 1);
    for (int64_t j = 0; j < i; ++j) {
      legs.A(i, j) = -row * std::sqrt(2.0 * static_cast<double>(j) + 1);
    }
    legs.A(i, i) = -static_cast<double>(i + 1);
    legs.B(i, 0) = row;
  }
  ContinuousSystem transposed = legs;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) transposed.A(i, j) = legs.A(j, i);
  }
  for (const double dt : {1e-3, 0.5, 20.0}) {
    CAPTURE(dt);
    const DiscreteSystem lower = Discretize(legs, dt, StepRule::kZoh);
    const DiscreteSystem upper = Discretize(transposed, dt, StepRule::kZoh);
    const DiscreteSystem bilinear = Discretize(legs, dt, StepRule::kBilinear);
    const DiscreteSystem backward = Discretize(legs, dt, StepRule::kBackwardEuler);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) {
        CHECK(lower.A(i, j) == 0);
        CHECK(upper.A(j, i) == 0);
        CHECK(std::fabs(lower.A(j, i) - upper.A(i, j)) <= 1e-12);
      }
      const DiscreteSystem* implicit[] = {&bilinear, &backward};
      for (const DiscreteSystem* system : implicit) {
        for (int64_t j = i + 1; j < n; ++j) CHECK(system->A(i, j) == 0);
      }
      CHECK(lower.A(i, i) ==
            doctest::Approx(std::exp(-dt * static_cast<double>(i + 1))).epsilon(1e-12));
    }
    // A constant 1 is the fixed point e_0: A e_0 = -B.
    for (int64_t i = 0; i < n; ++i) {
      CHECK(std::fabs(lower.A(i, 0) + lower.B(i, 0) - (i == 0 ? 1 : 0)) <= 1e-12);
    }
  }
}

TEST_CASE("every rule on a scalar is its formula, whatever the sizes") {
  for (const double a : {-1e9, -20.0, -1e-3, -1e-12, 0.0, 0.3}) {
    for (const double b : {1e-200, 1.0, 1e200}) {
      for (const double dt : {1e-9, 0.01, 1.0, 1e3}) {
        CAPTURE(a);
        CAPTURE(b);
        CAPTURE(dt);
        const double z = dt * a, phi = z == 0 ? 1 : std::expm1(z) / z;
        if (z < 100) {  // beyond, e^z b leaves double
          const DiscreteSystem zoh = Discretize(Scalar(a, b), dt, StepRule::kZoh);
          // Absolute below 1: e^-1e12 and 0 are alike.
          CHECK(std::fabs(zoh.A(0, 0) - std::exp(z)) <= 1e-13 * std::max(1.0, std::exp(z)));
          CHECK(zoh.B(0, 0) == doctest::Approx(dt * b * phi).epsilon(1e-13));
        }
        const DiscreteSystem forward = Discretize(Scalar(a, b), dt, StepRule::kForwardEuler);
        CHECK(std::fabs(forward.A(0, 0) - (1 + z)) <= 3e-16 * std::fabs(z));
        CHECK(forward.B(0, 0) == dt * b);
        const DiscreteSystem bilinear = Discretize(Scalar(a, b), dt, StepRule::kBilinear);
        CHECK(bilinear.A(0, 0) == doctest::Approx((1 + z / 2) / (1 - z / 2)).epsilon(1e-14));
        CHECK(bilinear.B(0, 0) == doctest::Approx(dt * b / (1 - z / 2)).epsilon(1e-14));
        const DiscreteSystem backward = Discretize(Scalar(a, b), dt, StepRule::kBackwardEuler);
        CHECK(backward.A(0, 0) == doctest::Approx(1 / (1 - z)).epsilon(1e-14));
        CHECK(backward.B(0, 0) == doctest::Approx(dt * b / (1 - z)).epsilon(1e-14));
      }
    }
  }
}

TEST_CASE("two ZOH steps with one input are one of twice the length") {
  for (const int64_t n : {1, 4, 11}) {
    CAPTURE(n);
    const ContinuousSystem system = test::RandomStable(n, 2, 1, 5 * static_cast<uint64_t>(n));
    const DiscreteSystem one = Discretize(system, 0.2, StepRule::kZoh);
    const DiscreteSystem two = Discretize(system, 0.4, StepRule::kZoh);
    Matrix A(n, n), B = one.B;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t k = 0; k < n; ++k) {
        for (int64_t j = 0; j < n; ++j) A(i, j) += one.A(i, k) * one.A(k, j);
        for (int64_t j = 0; j < 2; ++j) B(i, j) += one.A(i, k) * one.B(k, j);
      }
    }
    CHECK(Distance(two.A, A) <= 1e-15 * 8);
    CHECK(Distance(two.B, B) <= 1e-15 * 8);
  }
}

TEST_CASE("rules agree to their order as the step shrinks, and each meets its equation") {
  const ContinuousSystem system = test::RandomStable(5, 2, 1, 3);
  const auto distance = [&](StepRule rule, double dt) {
    return Distance(Discretize(system, dt, rule).A, Discretize(system, dt, StepRule::kZoh).A);
  };
  for (const auto& [rule, order] : {std::pair(StepRule::kBilinear, 3),
                                    {StepRule::kForwardEuler, 2},
                                    {StepRule::kBackwardEuler, 2}}) {
    CAPTURE(NameOf(rule));
    const double ratio = distance(rule, 0.02) / distance(rule, 0.01);
    CHECK(std::log2(ratio) == doctest::Approx(order).epsilon(0.02));
  }
  // (I - dt/2 A) A_bar = I + dt/2 A and (I - dt/2 A) B_bar = dt B, at a step of every size.
  for (const double dt : {1e-8, 0.3, 40.0, 1e8}) {
    const DiscreteSystem discrete = Discretize(system, dt, StepRule::kBilinear);
    Matrix left(5, 7), right(5, 7);
    for (int64_t i = 0; i < 5; ++i) {
      for (int64_t j = 0; j < 7; ++j) {
        const auto bar = [&](int64_t k) { return j < 5 ? discrete.A(k, j) : discrete.B(k, j - 5); };
        left(i, j) = bar(i);
        for (int64_t k = 0; k < 5; ++k) left(i, j) -= dt / 2 * system.A(i, k) * bar(k);
        right(i, j) = j < 5 ? (i == j ? 1 : 0) + dt / 2 * system.A(i, j) : dt * system.B(i, j - 5);
      }
    }
    CHECK(Distance(left, right) <= 1e-14);
  }
}

TEST_CASE("a pole of the rule is refused, stiffness is not") {
  const auto bilinear = ErrorOf([] { Discretize(Scalar(20, 1), 0.1, StepRule::kBilinear); });
  CHECK(bilinear.code == ExitCode::kBadConfig);
  CHECK(bilinear.message ==
        "bilinear with dt = 0.1: I - dt/2 A is singular to working precision, as A has an "
        "eigenvalue within rounding of 2/dt = 20.00; take another dt, or zoh.");
  CHECK(ErrorOf([] {
          Discretize(Scalar(10, 1), 0.1, StepRule::kBackwardEuler);
        }).Says("I - dt A is singular"));
  // Off by an ulp is as singular; in two dimensions too: eigenvalues 20 and -1.
  CHECK(ErrorOf([] {
          Discretize(Scalar(std::nextafter(20, 21), 1), 0.1, StepRule::kBilinear);
        }).code == ExitCode::kBadConfig);
  const ContinuousSystem coupled{{{9.5, 10.5}, {10.5, 9.5}}, {{1}, {0}}, {{1, 0}}, {{0}}};
  CHECK(ErrorOf([&] { Discretize(coupled, 0.1, StepRule::kBilinear); }).Says("singular"));
  CHECK_NOTHROW(Discretize(coupled, 0.11, StepRule::kBilinear));

  const ContinuousSystem turning{{{0, -20}, {20, 0}}, {{1}, {0}}, {{1, 0}}, {{0}}};
  CHECK_NOTHROW(Discretize(turning, 0.1, StepRule::kBilinear));  // 20i is no pole of the rule

  // Rows that differ by 1e23, coupled: det (I - A) = 1.001e20 + 1.002.
  const ContinuousSystem rows{{{-1e20, 1e20}, {1e-3, -2e-3}}, {{1}, {1}}, {{1, 1}}, {{0}}};
  const DiscreteSystem backward = Discretize(rows, 1, StepRule::kBackwardEuler);
  CHECK(RelativeDistance(backward.A,
                         {{1.002 / 1.001e20, 1 / 1.001}, {1e-3 / 1.001e20, 1 / 1.001}}) <= 1e-14);
  const ContinuousSystem stiff{{{-1e20, 0}, {0, -1e-3}}, {{1}, {1}}, {{1, 1}}, {{0}}};
  const DiscreteSystem discrete = Discretize(stiff, 1, StepRule::kBackwardEuler);
  CHECK(RelativeDistance(discrete.A, {{1 / (1 + 1e20), 0}, {0, 1 / 1.001}}) <= 1e-15);
}

TEST_CASE("all faults of a system and its step are told at once") {
  ContinuousSystem bad = Scalar(1, 1);
  bad.B = Matrix(2, 1);
  bad.C(0, 0) = std::numeric_limits<double>::quiet_NaN();
  for (const double dt : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    const auto thrown = ErrorOf([&] { Discretize(bad, dt, StepRule::kZoh); });
    CHECK(thrown.code == ExitCode::kBadConfig);
    CHECK(thrown.Says("B is 2 x 1"));
    CHECK(thrown.Says("C[0, 0] is nan"));
    CHECK(thrown.Says("dt is "));
  }
  const auto overflow = ErrorOf([] { Discretize(Scalar(1000, 1), 1, StepRule::kZoh); });
  CHECK(overflow.message ==
        "zoh with dt = 1 leaves the range of double: A has a mode that grows by e^1000 a unit of "
        "time; take a smaller dt.");
  CHECK(ErrorOf([] { Discretize(Scalar(-1e300, 1), 1e300, StepRule::kZoh); }).code ==
        ExitCode::kBadConfig);
  CHECK(ErrorOf([] { Discretize(Scalar(1, 1e300), 1e300, StepRule::kForwardEuler); }).code ==
        ExitCode::kBadConfig);
}

TEST_CASE("systems without states or inputs are discretised too") {
  for (const StepRule rule : kStepRules) {
    const ContinuousSystem empty{Matrix(0, 0), Matrix(0, 2), Matrix(1, 0), {{1, 2}}};
    const DiscreteSystem discrete = Discretize(empty, 0.1, rule);
    CHECK(discrete.states() == 0);
    CHECK(discrete.D == empty.D);
    const ContinuousSystem still{{{-1}}, Matrix(1, 0), {{1}}, Matrix(1, 0)};
    CHECK(Discretize(still, 0.1, rule).inputs() == 0);
  }
}

TEST_CASE("diagonal systems are discretised as their dense form") {
  ContinuousModalSystem modal;
  modal.modes = {{{-0.5, 3}, true}, {-2, false}, {{0, 1}, true}, {0, false}};
  modal.B = ComplexMatrix(4, 1);
  modal.C = ComplexMatrix(1, 4);
  modal.D = {{0}};
  for (int64_t i = 0; i < 4; ++i) modal.B(i, 0) = modal.C(0, i) = 1;
  for (const StepRule rule : kStepRules) {
    CAPTURE(NameOf(rule));
    const double dt = 0.1;
    const DiscreteModalSystem discrete = Discretize(modal, dt, rule);
    for (size_t i = 0; i < 4; ++i) {
      const Complex pole = modal.modes[i].pole;
      // A pair as the real block [[a, -b], [b, a]]; its first column is the discrete pole.
      const ContinuousSystem block{
          {{pole.real(), -pole.imag()}, {pole.imag(), pole.real()}}, {{1}, {0}}, {{1, 0}}, {{0}}};
      const DiscreteSystem dense = Discretize(block, dt, rule);
      CHECK(std::abs(discrete.modes[i].pole - Complex(dense.A(0, 0), dense.A(1, 0))) <= 1e-15);
      CHECK(std::abs(discrete.B(static_cast<int64_t>(i), 0) -
                     Complex(dense.B(0, 0), dense.B(1, 0))) <= 1e-16);
    }
  }
  modal.modes[1].pole = 20;
  CHECK(ErrorOf([&] { Discretize(modal, 0.1, StepRule::kBilinear); }).Says("2/dt = 20.00"));
  modal.modes[1].pole = {20, 1};
  CHECK(
      ErrorOf([&] { Discretize(modal, 0.1, StepRule::kZoh); }).Says("mode 1 is no conjugate pair"));
  modal.modes[1] = {1e6, false};
  CHECK(ErrorOf([&] { Discretize(modal, 1, StepRule::kZoh); }).Says("leaves the range of double"));
}

TEST_CASE("the weight of an input keeps its digits for slow modes") {
  // phi1(z) = 1 + z/2 + z^2/6 + ...
  for (const Complex z : {Complex(1e-9, 0), {0, 1e-6}, {-1e-12, 1e-12}}) {
    const Complex weight = InputWeight(StepRule::kZoh, z / 0.5, 0.5);
    CHECK(std::abs(weight - 0.5 * (1.0 + z / 2.0 + z * z / 6.0)) <= 1e-16);
  }
  CHECK(InputWeight(StepRule::kZoh, 0, 0.25) == 0.25);
}

TEST_CASE("rules have names and say when their input is held") {
  for (const StepRule rule : kStepRules) {
    CHECK(FindStepRule(NameOf(rule)) == rule);
    const std::string words = DescribeRule(rule);
    CHECK(words.find(NameOf(rule)) == 0);
    CHECK(words.find("held over ((t-1) dt, t dt]") != std::string::npos);
  }
  CHECK(!FindStepRule("euler").has_value());
}

}  // namespace
}  // namespace ssm
