#include "ssm/analysis/system_sweep.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ssm/analysis/geometric_grid.h"

namespace ssm {
namespace {

TEST_CASE("a geometric grid") {
  const std::vector<double> grid = GeometricGrid(0.5, 8, 5);
  REQUIRE(grid.size() == 5);
  CHECK(grid[0] == 0.5);
  CHECK(grid[2] == doctest::Approx(2));
  CHECK(grid[4] == 8);
}

TEST_CASE("a geometric grid whose ends no ratio of doubles spans") {
  const std::vector<double> grid = GeometricGrid(1e-300, 1e300, 5);
  REQUIRE(grid.size() == 5);
  CHECK(grid[0] == 1e-300);
  CHECK(grid[1] / 1e-150 == doctest::Approx(1).epsilon(1e-12));
  CHECK(grid[2] == doctest::Approx(1).epsilon(1e-12));
  CHECK(grid[3] / 1e150 == doctest::Approx(1).epsilon(1e-12));
  CHECK(grid[4] == 1e300);
}

TEST_CASE("the oscillator over dt: forward Euler breaks at 2 |Re a| / |a|^2, the others never") {
  const ContinuousSystem oscillator{{{0, 1}, {-9, -0.6}}, {{0}, {1}}, {{1, 0}}, {{0}}};
  const double limit = 0.6 / 9;
  const std::vector<double> dts = {0.5 * limit, 0.99 * limit, 1.01 * limit, 4 * limit};
  const std::vector<StepSweepRow> rows = SweepSteps(oscillator, dts);
  REQUIRE(rows.size() == 4);
  for (const StepSweepRow& row : rows) {
    CAPTURE(row.dt);
    REQUIRE(row.rules.size() == 4);
    CHECK(row.rules[0].half_life == doctest::Approx(std::log(2) / (0.3 * row.dt)).epsilon(1e-10));
    for (const StepOutcome& step : row.rules) {
      const bool breaks = step.rule == StepRule::kForwardEuler && row.dt > limit;
      CHECK((step.verdict == Stability::kUnstable) == breaks);
      CHECK((step.radius > 1) == breaks);
      CHECK(std::isinf(step.gain.value) == breaks);
      CHECK(std::isinf(step.half_life) == breaks);
    }
  }
}

TEST_CASE("the gain of a positive system is its steady gain at any dt") {
  const ContinuousSystem lag{{{-0.5}}, {{3}}, {{1}}, {{0}}};
  for (const StepSweepRow& row : SweepSteps(lag, std::vector<double>{0.01, 0.1, 1})) {
    for (const StepOutcome& step : row.rules) {
      CHECK(step.gain.value == doctest::Approx(6).epsilon(1e-9));
    }
  }
}

}  // namespace
}  // namespace ssm
