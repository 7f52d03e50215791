#include "ssm/analysis/system_report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "ssm/systems/gramians.h"

namespace ssm {
namespace {

SystemFile Shipped(const std::string& name) {
  return ReadSystemFile(std::string(SSM_SOURCE_DIR) + "/configs/systems/" + name + ".json");
}

const SteppedReport& By(const SystemReport& report, StepRule rule) {
  for (const SteppedReport& step : report.steps) {
    if (step.rule == rule) return step;
  }
  FAIL("no such rule");
  return report.steps.front();
}

double ShareSum(const std::vector<LagOctave>& octaves) {
  return std::accumulate(octaves.begin(), octaves.end(), 0.0,
                         [](double sum, const LagOctave& octave) { return sum + octave.share; });
}

TEST_CASE("octaves of lag and the envelope of a kernel") {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const std::vector<LagOctave> octaves = OctavesOf(values, 42);
  REQUIRE(octaves.size() == 4);
  CHECK(LagText(octaves[0]) == "0");
  CHECK(LagText(octaves[1]) == "1");
  CHECK(LagText(octaves[2]) == "2-3");
  CHECK(LagText(octaves[3]) == "4-5");
  CHECK(octaves[2].sum == 7);
  CHECK(octaves[3].share == 0.25 + 1.0 / 84);
  CHECK(OctavesOf({}, 1).empty());
  CHECK(std::isnan(OctavesOf(values, INFINITY)[0].share));
  CHECK(std::isnan(OctavesOf(std::vector<double>{0, 0}, 0)[0].share));  // shares of nothing
  CHECK(EnvelopeOf(std::vector<double>{0, 3, 1, 2, 0}) == std::vector<double>{3, 3, 2, 2, 0});
}

TEST_CASE("the oscillator: poles, period, half-life, and where forward Euler breaks") {
  const SystemFile file = Shipped("oscillator");
  const SystemReport report = ReportOf(file);
  REQUIRE(report.modes.size() == 1);
  const ModeTimes& mode = report.modes[0];
  const double omega = std::sqrt(9 - 0.09);
  CHECK(mode.pole.real() == doctest::Approx(-0.3).epsilon(1e-13));
  CHECK(mode.pole.imag() == doctest::Approx(omega).epsilon(1e-13));
  CHECK(mode.time_constant == doctest::Approx(1 / 0.3).epsilon(1e-13));
  CHECK(mode.half_life == doctest::Approx(std::numbers::ln2 / 0.3).epsilon(1e-13));
  CHECK(1 / mode.frequency == doctest::Approx(2 * std::numbers::pi / omega).epsilon(1e-13));
  CHECK(report.chosen_dt);
  CHECK(report.dt == doctest::Approx(0.02));  // 1/30 rounded down
  // The impulse response e^(-0.3 t) sin(omega t) / omega has energy 1 / (4 zeta omega_0^3).
  CHECK(report.h2_norm == doctest::Approx(std::sqrt(1 / (4 * 0.1 * 27))).epsilon(1e-12));

  const double limit = 0.6 / 9;
  REQUIRE(report.forward_euler_limit);
  CHECK(*report.forward_euler_limit == doctest::Approx(limit).epsilon(1e-12));
  for (const double dt : {0.999 * limit, 1.001 * limit}) {
    CAPTURE(dt);
    const SystemReport near = ReportOf(file, dt);
    const SteppedReport& forward = By(near, StepRule::kForwardEuler);
    const bool breaks = dt > limit;
    CHECK((forward.stability.verdict == Stability::kUnstable) == breaks);
    CHECK((forward.radius > 1) == breaks);
    CHECK(std::isinf(forward.gain.value) == breaks);
    CHECK(forward.radius == doctest::Approx(std::abs(1.0 + dt * mode.pole)).epsilon(1e-12));
    const SteppedReport& zoh = By(near, StepRule::kZoh);
    CHECK(zoh.radius == doctest::Approx(std::exp(-0.3 * dt)).epsilon(1e-12));
    CHECK(By(near, StepRule::kBackwardEuler).radius ==
          doctest::Approx(1 / std::abs(1.0 - dt * mode.pole)).epsilon(1e-12));
  }
}

TEST_CASE("the energies of all octaves sum to the squared H2 norm") {
  const SystemReport report = ReportOf(Shipped("oscillator"), 0.002);
  REQUIRE(report.memory);
  const MemoryProfile& memory = *report.memory;
  CHECK(ShareSum(memory.energy) == doctest::Approx(1).epsilon(1e-5));
  CHECK(ShareSum(memory.energy) <= 1 + 1e-12);
  // K_k = dt k(k dt) for a short dt, so its energy is dt times the continuous one.
  CHECK(memory.h2_norm * memory.h2_norm ==
        doctest::Approx(0.002 * report.h2_norm * report.h2_norm).epsilon(1e-3));
  CHECK(memory.capacity == 2);
  CHECK(ShareSum(memory.recall) == doctest::Approx(1).epsilon(1e-5));
}

TEST_CASE("a non-normal system grows before it decays, which its eigenvalues do not say") {
  const SystemReport report = ReportOf(Shipped("nonnormal"), 0.001);
  CHECK(report.stability.verdict == Stability::kStable);
  CHECK(report.numerical_abscissa == doctest::Approx(-1.5 + std::sqrt(0.25 + 625)).epsilon(1e-12));
  // e^(tA) = [[e^-t, 50 (e^-t - e^-2t)], [0, e^-2t]], whose corner is largest at ln 2: 12.5.
  const TransientGrowth& growth = By(report, StepRule::kZoh).growth;
  CHECK(growth.peak_is_final);
  const double frobenius = 0.25 + 0.0625 + 12.5 * 12.5, det = 0.125;
  const double largest =
      std::sqrt(0.5 * (frobenius + std::sqrt(frobenius * frobenius - 4 * det * det)));
  CHECK(growth.peak == doctest::Approx(largest).epsilon(1e-4));
  CHECK(0.001 * static_cast<double>(growth.peak_step) ==
        doctest::Approx(std::log(2)).epsilon(0.01));
  const size_t k = 1024;
  CHECK(growth.envelope[k] == doctest::Approx(std::exp(-1.024)).epsilon(1e-12));
  CHECK(growth.norms[k] > 10 * growth.envelope[k]);
  // y is the driven state: |C A^k| = |(e^-t, 50 (e^-t - e^-2t))| at t = 1.
  CHECK(report.initial_state[999] ==
        doctest::Approx(std::hypot(std::exp(-1), 50 * (std::exp(-1) - std::exp(-2)))));
}

TEST_CASE("the heated room: positive, so its gain is the sum of its steady gains") {
  // A degree outside is one inside; a kilowatt heats by the four resistances 2 + 4 + 4 + 2.
  for (const double dt : {0.01, 0.1}) {
    CAPTURE(dt);
    const SystemReport report = ReportOf(Shipped("thermal_rc"), dt);
    for (const SteppedReport& step : report.steps) {
      CAPTURE(NameOf(*step.rule));
      CHECK(step.stability.verdict == Stability::kStable);
      CHECK(step.gain.value == doctest::Approx(13).epsilon(1e-9));
    }
    REQUIRE(report.memory);
    CHECK(report.memory->gramian.size() == 4);
    CHECK(report.memory->gramian[0] >= report.memory->gramian[3]);
    CHECK(report.memory->capacity == 4);
    CHECK(ShareSum(report.memory->energy) == doctest::Approx(1).epsilon(1e-5));
  }
}

TEST_CASE("a double integrator has no energy, and says what can be said") {
  const SystemReport report = ReportOf(Shipped("double_integrator"));
  CHECK(report.dt == 1);
  CHECK(report.stability.verdict == Stability::kUnstable);
  CHECK_FALSE(report.memory);
  CHECK_FALSE(report.forward_euler_limit);
  CHECK(std::isinf(report.h2_norm));
  CHECK(std::isinf(report.modes[0].half_life));
  const SteppedReport& zoh = By(report, StepRule::kZoh);
  CHECK(zoh.radius == 1);
  CHECK(std::isinf(zoh.gain.value));
  // The position of [[1, k], [0, 1]]'s rows.
  CHECK(report.initial_state[9] == doctest::Approx(std::sqrt(101)));
}

TEST_CASE("a discrete system, in closed form") {
  const SystemFile file = ParseSystem(R"({"dt": 2, "A": [[0.5]], "B": [[1]], "C": [[1]]})", "file");
  const SystemReport report = ReportOf(file);
  CHECK(report.dt == 2);
  REQUIRE(report.modes.size() == 1);
  CHECK(report.modes[0].half_life == doctest::Approx(2));  // one step
  CHECK(report.modes[0].time_constant == doctest::Approx(2 / std::numbers::ln2));
  REQUIRE(report.steps.size() == 1);
  CHECK(report.steps[0].gain.value == doctest::Approx(2));
  REQUIRE(report.memory);
  const MemoryProfile& memory = *report.memory;
  CHECK(memory.h2_norm == doctest::Approx(1 / std::sqrt(0.75)));
  CHECK(memory.energy[0].share == doctest::Approx(0.75));  // (1 - a^2) a^2k
  CHECK(memory.energy[2].share == doctest::Approx(0.75 * (0.0625 + 0.015625)));
  CHECK(memory.recall[1].sum == doctest::Approx(0.75 * 0.25));
  CHECK(memory.hankel[0] == doctest::Approx(4.0 / 3));
  CHECK(memory.gramian[0] == doctest::Approx(4.0 / 3));
}

TEST_CASE("the default step is a tenth of the shortest time constant, rounded down") {
  const auto step = [](double rate) { return DefaultStep({{{-rate}}, {{1}}, {{1}}, {{0}}}); };
  CHECK(step(1) == doctest::Approx(0.1));
  CHECK(step(2) == doctest::Approx(0.05));
  CHECK(step(3) == doctest::Approx(0.02));
  CHECK(step(5) == doctest::Approx(0.02));
  CHECK(step(6) == doctest::Approx(0.01));
  CHECK(step(0) == 1);
}

TEST_CASE("a rule that has no step at this dt says so") {
  // I - dt A is singular at dt = 1.
  const SystemFile file = ParseSystem(R"({"A": [[1]], "B": [[1]], "C": [[1]]})", "file");
  const SystemReport report = ReportOf(file, 1);
  CHECK(By(report, StepRule::kBackwardEuler).fault.find("singular") != std::string::npos);
  CHECK(By(report, StepRule::kZoh).radius == doctest::Approx(std::numbers::e));
}

TEST_CASE("a kernel that peaks long after its eigenvalues are gone is followed to its end") {
  // A delay of 20 steps: every eigenvalue is 0.
  DiscreteSystem delay{Matrix(20, 20), Matrix(20, 1), Matrix(1, 20), {{0}}};
  for (int64_t i = 0; i < 19; ++i) delay.A(i, i + 1) = 1;
  delay.B(19, 0) = delay.C(0, 0) = 1;
  SystemFile file;
  file.system = delay;
  file.dt = 1;
  const SystemReport report = ReportOf(file);
  REQUIRE(report.memory);
  const MemoryProfile& memory = *report.memory;
  REQUIRE(memory.kernel.size() == 32);
  CHECK(memory.kernel[19] == 1);
  CHECK(memory.energy.back().share == doctest::Approx(1).epsilon(1e-12));
  CHECK(memory.later < 1e-6);
  // A chain of 30 lags of 1 s: t^29 e^-t / 29! peaks at t = 29, where each mode alone is gone.
  ContinuousSystem chain{Matrix(30, 30), Matrix(30, 1), Matrix(1, 30), {{0}}};
  for (int64_t i = 0; i < 30; ++i) {
    chain.A(i, i) = -1;
    if (i > 0) chain.A(i - 1, i) = 1;
  }
  chain.B(29, 0) = chain.C(0, 0) = 1;
  file.system = chain;
  file.dt = 0;
  const SystemReport late = ReportOf(file, 0.1);
  REQUIRE(late.memory);
  CHECK(ShareSum(late.memory->energy) == doctest::Approx(1).epsilon(2e-6));
  const std::vector<double>& kernel = late.memory->kernel;
  const auto peak = std::max_element(kernel.begin(), kernel.end()) - kernel.begin();
  CHECK(std::abs(static_cast<double>(peak) - 290) < 2);
}

TEST_CASE("steps so small that poles round to 1") {
  const SystemFile file =
      ParseSystem(R"({"A": [[-1, 0.5], [0, -2]], "B": [[1], [1]], "C": [[1, 1]]})", "file");
  const ContinuousSystem& system = std::get<ContinuousSystem>(file.system);
  const SystemReport lost = ReportOf(file, 1e-17);
  CHECK_FALSE(lost.memory);
  for (const SteppedReport& step : lost.steps) {
    CHECK(step.stability.verdict == Stability::kMarginal);
  }
  const std::vector<double> exact = HankelSingularValues(system);
  for (const double dt : {1e-14, 1e-12, 1e-9, 1e-5}) {
    CAPTURE(dt);
    const SystemReport report = ReportOf(file, dt);
    REQUIRE(report.memory);
    CHECK(report.memory->hankel_is_limit == (dt < 1e-10));
    CHECK(report.memory->hankel[0] == doctest::Approx(exact[0]).epsilon(2 * dt + 1e-6));
    CHECK(report.memory->rounding == doctest::Approx(2.2e-16 / dt).epsilon(0.05));
  }
}

TEST_CASE("shares and limits of systems of any scale") {
  for (const double scale : {1e-160, 1e300}) {
    CAPTURE(scale);
    SystemFile file;
    file.dt = 1;
    file.system = DiscreteSystem{{{0.5}}, {{scale}}, {{1}}, {{0}}};
    const SystemReport report = ReportOf(file);
    REQUIRE(report.memory);
    CHECK(report.memory->energy[1].share == doctest::Approx(0.75 * 0.25));
    CHECK(report.memory->capacity == 1);
    CHECK(report.memory->spread[0] / scale == doctest::Approx(1 / std::sqrt(0.75)));
    CHECK(report.memory->kernel[1] / scale == doctest::Approx(0.5));
  }
  const SystemFile stiff = ParseSystem(R"({"A": [[-1e300]], "B": [[1]], "C": [[1]]})", "file");
  CHECK(*ReportOf(stiff).forward_euler_limit / 2e-300 == doctest::Approx(1));
}

}  // namespace
}  // namespace ssm
