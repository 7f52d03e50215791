#include "ssm/systems/modal_form.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ssm/systems/discretization.h"
#include "ssm/systems/impulse_response.h"
#include "support/error_of.h"
#include "systems/random_system.h"

namespace ssm {
namespace {

using test::Distance;

TEST_CASE("the kernel survives the way to the modes and back") {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    for (const int64_t n : {1, 2, 5, 12}) {
      CAPTURE(seed);
      CAPTURE(n);
      const ContinuousSystem dense = test::RandomStable(n, 2, 2, seed);
      const ModalForm<ContinuousModalSystem> modal = ModalFormOf(dense);
      CHECK(modal.system.states() == n);
      CHECK(FaultsOf(modal.system).empty());
      const ContinuousSystem back = DenseFormOf(modal.system);
      for (const StepRule rule : kStepRules) {
        const DiscreteSystem discrete = Discretize(dense, 0.1, rule);
        const Array<double> kernel = ImpulseResponse(discrete, 300);
        CHECK(Distance(ImpulseResponse(Discretize(modal.system, 0.1, rule), 300).flat(),
                       kernel.flat()) <= 1e-10);
        CHECK(Distance(ImpulseResponse(Discretize(back, 0.1, rule), 300).flat(), kernel.flat()) <=
              1e-10);
        CHECK(Distance(ImpulseResponse(ModalFormOf(discrete).system, 300).flat(), kernel.flat()) <=
              1e-10);
      }
    }
  }
}

TEST_CASE("an oscillator is one pair with the poles of its equation") {
  const double w = 3, damping = 0.2;
  const ContinuousSystem system{{{0, 1}, {-w * w, -2 * damping * w}}, {{0}, {1}}, {{1, 0}}, {{0}}};
  const auto modal = ModalFormOf(system).system;
  REQUIRE(modal.modes.size() == 1);
  CHECK(modal.modes[0].pair);
  CHECK(modal.modes[0].pole.real() == doctest::Approx(-damping * w).epsilon(1e-14));
  CHECK(modal.modes[0].pole.imag() ==
        doctest::Approx(w * std::sqrt(1 - damping * damping)).epsilon(1e-14));
  // Its impulse response is sin(wd t) e^{-damping w t} / wd: C B = 1 / (2 i wd).
  const std::complex<double> residue = modal.C(0, 0) * modal.B(0, 0);
  const std::complex<double> expected =
      1.0 / (2.0 * std::complex<double>(0, 1) * modal.modes[0].pole.imag());
  CHECK(std::abs(residue - expected) <= 1e-15);
}

TEST_CASE("real modes have no factor 2 and no imaginary part") {
  const auto modal =
      ModalFormOf(ContinuousSystem{{{0, 1}, {-2, -3}}, {{0}, {1}}, {{1, 0}}, {{0.5}}});
  REQUIRE(modal.system.modes.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(!modal.system.modes[i].pair);
    CHECK(modal.system.modes[i].pole.imag() == 0);
    CHECK(modal.system.B(static_cast<int64_t>(i), 0).imag() == 0);
  }
  CHECK(modal.system.D == Matrix{{0.5}});
  CHECK(modal.condition > 1);
}

TEST_CASE("repeated eigenvalues with their eigenvectors are no obstacle") {
  const ModalForm<ContinuousModalSystem> identity =
      ModalFormOf(ContinuousSystem{{{-2, 0}, {0, -2}}, {{1}, {3}}, {{1, 1}}, {{0}}});
  CHECK(identity.condition == doctest::Approx(1).epsilon(1e-14));
  const ModalForm<ContinuousModalSystem> symmetric = ModalFormOf(ContinuousSystem{
      {{-2, 1, 1}, {1, -2, 1}, {1, 1, -2}}, {{1}, {2}, {3}}, {{1, 0, 0}}, {{0}}});  // 0, -3, -3
  CHECK(symmetric.condition == doctest::Approx(1).epsilon(1e-13));
  CHECK(symmetric.system.modes.size() == 3);
}

TEST_CASE("defective and nearly defective systems are refused with their condition") {
  const ContinuousSystem integrators{{{0, 1}, {0, 0}}, {{0}, {1}}, {{1, 0}}, {{0}}};
  const auto thrown = test::ErrorOf([&] { ModalFormOf(integrators); });
  CHECK(thrown.code == ExitCode::kBadConfig);
  CHECK(thrown.Says("A is defective or close to it: its eigenvectors have condition"));
  CHECK(thrown.Says("keep the dense system"));
  // Eigenvectors [1, 0] and [1, -1e-8]: condition 2e8.
  const DiscreteSystem near{{{0.5, 1}, {0, 0.5 - 1e-8}}, {{0}, {1}}, {{1, 0}}, {{0}}};
  CHECK(test::ErrorOf([&] { ModalFormOf(near); }).Says("condition 2.0e+08"));
  DiscreteSystem bad = near;
  bad.D = Matrix(2, 2);
  CHECK(test::ErrorOf([&] { ModalFormOf(bad); }).Says("D is 2 x 2"));
}

TEST_CASE("systems without states have modal forms") {
  const DiscreteSystem stateless{Matrix(), Matrix(0, 1), Matrix(1, 0), {{4}}};
  const auto modal = ModalFormOf(stateless);
  CHECK(modal.condition == 1);
  CHECK(DenseFormOf(modal.system).D == stateless.D);
  CHECK(ImpulseResponse(modal.system, 2)[0] == 4);
}

TEST_CASE("every fault of a modal system is told") {
  ContinuousModalSystem modal;
  modal.modes = {{{-1, 1}, false}, {-1, false}};
  modal.B = ComplexMatrix(1, 1);
  modal.C = ComplexMatrix(1, 2);
  modal.D = Matrix(1, 2);
  CHECK(FaultsOf(modal) == std::vector<std::string>{"B is 1 x 1; it needs to be 2 x 1",
                                                    "D is 1 x 2; it needs to be 1 x 1"});
  modal.B = ComplexMatrix(2, 1);
  modal.D = Matrix(1, 1);
  modal.C(0, 1) = std::nan("");
  const std::vector<std::string> faults = FaultsOf(modal);
  REQUIRE(faults.size() == 2);
  CHECK(faults[0].find("mode 0 is no conjugate pair") == 0);
  CHECK(faults[1].find("mode 1 has a pole, row of B or column of C that is not finite") == 0);
}

}  // namespace
}  // namespace ssm
