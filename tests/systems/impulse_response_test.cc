#include "ssm/systems/impulse_response.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "ssm/systems/discretization.h"
#include "ssm/systems/modal_form.h"
#include "support/error_of.h"
#include "systems/random_system.h"

namespace ssm {
namespace {

using test::Distance;

/// S4D-Lin: poles -1/2 + i pi n for one of each pair, B = C = 1.
ContinuousModalSystem S4dLin(int64_t pairs) {
  ContinuousModalSystem system;
  system.B = ComplexMatrix(pairs, 1);
  system.C = ComplexMatrix(1, pairs);
  system.D = Matrix(1, 1);
  for (int64_t n = 0; n < pairs; ++n) {
    system.modes.push_back({{-0.5, std::numbers::pi * static_cast<double>(n)}, true});
    system.B(n, 0) = system.C(0, n) = 1;
  }
  return system;
}

TEST_CASE("the golden kernel of S4D-Lin, by its modes and by its dense form") {
  const std::vector<double> zoh = {.387011208635, .350341187798, .300984952682,
                                   .244020162256, .184808923753, .128456683586};
  const std::vector<double> bilinear = {.385766597874, .349877232113, .301444901652,
                                        .245362496017, .186828387066, .130826824190};
  const ContinuousModalSystem modal = S4dLin(2);
  const ContinuousSystem dense = DenseFormOf(modal);
  for (const auto& [rule, golden] :
       {std::pair(StepRule::kZoh, zoh), {StepRule::kBilinear, bilinear}}) {
    CAPTURE(NameOf(rule));
    CHECK(Distance(ImpulseResponse(Discretize(modal, 0.1, rule), 6).flat(), golden) <= 1e-10);
    CHECK(Distance(ImpulseResponse(Discretize(dense, 0.1, rule), 6).flat(), golden) <= 1e-10);
  }
}

TEST_CASE("the golden kernel of a dense system") {
  const ContinuousSystem system{{{0, 1}, {-2, -3}}, {{0}, {1}}, {{1, 0}}, {{0.5}}};
  const std::vector<double> golden = {.504527958503, .011901311437, .017158327425, .020756838658,
                                      .023064624850};
  const Array<double> kernel = ImpulseResponse(Discretize(system, 0.1, StepRule::kZoh), 5);
  CHECK(kernel.shape() == Shape{5, 1, 1});
  CHECK(Distance(kernel.flat(), golden) <= 1e-10);
}

TEST_CASE("the kernel of a double integrator is a ramp") {
  const ContinuousSystem system{{{0, 1}, {0, 0}}, {{0}, {1}}, {{1, 0}}, {{0}}};
  const double dt = 0.1;
  const Array<double> kernel = ImpulseResponse(Discretize(system, dt, StepRule::kZoh), 1000);
  for (int64_t k = 0; k < 1000; ++k) {
    CHECK(kernel[k] == doctest::Approx(dt * dt * (0.5 + static_cast<double>(k))).epsilon(1e-13));
  }
}

TEST_CASE("the modal kernel keeps its digits at any length") {
  // |pole| = 1: after 1e5 steps cos is known in closed form.
  DiscreteModalSystem modal;
  modal.modes = {{std::polar(1.0, 0.1), true}, {-0.5, false}};
  modal.B = ComplexMatrix(2, 1);
  modal.C = ComplexMatrix(1, 2);
  modal.B(0, 0) = modal.B(1, 0) = 1;
  modal.C(0, 0) = {0.5, 0};
  modal.C(0, 1) = 3;
  modal.D = {{-1}};
  const int64_t steps = 100'000;
  const Array<double> kernel = ImpulseResponse(modal, steps);
  double worst = 0;
  for (int64_t k = 0; k < steps; ++k) {
    const auto t = static_cast<double>(k);
    const double exact = std::cos(0.1 * t) + 3 * std::pow(-0.5, t) - (k == 0 ? 1 : 0);
    worst = std::max(worst, std::fabs(kernel[k] - exact));
  }
  // The pole is rounded to 1e-16, which is 1e-11 of a turn by then.
  CHECK(worst <= 2e-11);
}

TEST_CASE("K [steps, outputs, inputs] is the response to each input alone") {
  const DiscreteSystem system = Discretize(test::RandomStable(4, 2, 3, 7), 0.3, StepRule::kZoh);
  const Array<double> kernel = ImpulseResponse(system, 3);
  CHECK(kernel.shape() == Shape{3, 3, 2});
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      double first = system.D(i, j), second = 0;
      for (int64_t a = 0; a < 4; ++a) {
        first += system.C(i, a) * system.B(a, j);
        for (int64_t b = 0; b < 4; ++b) second += system.C(i, a) * system.A(a, b) * system.B(b, j);
      }
      CHECK(kernel[i * 2 + j] == doctest::Approx(first).epsilon(1e-13));
      CHECK(kernel[6 + i * 2 + j] == doctest::Approx(second).epsilon(1e-13));
    }
  }
}

TEST_CASE("lengths of 0, systems without states, and what is refused") {
  const DiscreteSystem system{{{0.5}}, {{1}}, {{1}}, {{2}}};
  CHECK(ImpulseResponse(system, 0).shape() == Shape{0, 1, 1});
  CHECK(ImpulseResponse(system, 1)[0] == 3);
  const Array<double> stateless = ImpulseResponse({Matrix(), Matrix(0, 1), Matrix(1, 0), {{7}}}, 3);
  CHECK(Distance(stateless.flat(), std::vector<double>{7, 0, 0}) == 0);
  CHECK(ImpulseResponse(DiscreteModalSystem(), 0).size() == 0);

  CHECK(test::ErrorOf([&] { ImpulseResponse(system, -1); }).Says("-1 steps"));
  for (const int64_t steps : {int64_t{1} << 50, std::numeric_limits<int64_t>::max()}) {
    const auto thrown = test::ErrorOf([&] { ImpulseResponse(system, steps); });
    CHECK(thrown.code == ExitCode::kRefused);
    CHECK(thrown.Says("ask for fewer steps"));
  }
  DiscreteSystem bad = system;
  bad.B = Matrix(3, 1);
  CHECK(test::ErrorOf([&] { ImpulseResponse(bad, 4); }).Says("B is 3 x 1"));
}

}  // namespace
}  // namespace ssm
