// What the papers say of these memories, as published and as known from theory.
#include "ssm/systems/memory_experiment.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

using enum HippoMeasure;

MemoryExperiment Window(HippoMeasure measure, int64_t order, double cycles) {
  MemoryExperiment experiment;
  experiment.memory = {measure, order};
  experiment.rule = StepRule::kZoh;
  experiment.cycles = cycles;
  return experiment;
}

MemoryExperiment History(int64_t order, double cycles) {
  MemoryExperiment experiment;
  experiment.memory = {kLegS, order};
  experiment.window = 10000;
  experiment.cycles = cycles;
  return experiment;
}

TEST_CASE("an LMU of 4 states a cycle remembers its window, one of 2 does not") {
  for (double cycles : {2.0, 4.0, 8.0, 16.0, 32.0}) {
    CAPTURE(cycles);
    const int64_t enough = static_cast<int64_t>(4 * cycles);
    for (double offset : {0.0, 0.5}) {
      CAPTURE(offset);
      MemoryExperiment good = Window(kLmu, enough, cycles);
      MemoryExperiment poor = Window(kLmu, enough / 2, cycles);
      good.read_offset = poor.read_offset = offset;
      CHECK(RunMemoryExperiment(good).nrmse <= 0.08);
      CHECK(RunMemoryExperiment(poor).nrmse >= 0.5);
    }
  }
}

TEST_CASE("reading half a sample off costs what theory says, reading right does not") {
  for (double cycles : {8.0, 16.0, 32.0}) {
    CAPTURE(cycles);
    MemoryExperiment experiment = Window(kLegT, static_cast<int64_t>(6 * cycles), cycles);
    experiment.signals = 8;
    const double right = RunMemoryExperiment(experiment).nrmse;
    experiment.read_offset = 0;
    const double off = RunMemoryExperiment(experiment).nrmse;
    // The slope of noise that is flat up to f has a root mean square of 2 pi f / sqrt(3).
    const double expected = std::numbers::pi * cycles / (std::numbers::sqrt3 * 1000);
    CHECK(off == doctest::Approx(expected).epsilon(0.1));
    CHECK(right < off / 20);
  }
}

TEST_CASE("LegS remembers its whole history as well as the best polynomial") {
  for (double cycles : {4.0, 8.0, 16.0, 32.0, 64.0}) {
    CAPTURE(cycles);
    // Where N = 2 f is too little, the error is that of the fit.
    const MemoryResult poor =
        RunMemoryExperiment(History(static_cast<int64_t>(2 * cycles), cycles));
    CHECK(poor.nrmse * poor.nrmse < 1.05 * poor.fit_nrmse * poor.fit_nrmse);
    CHECK(poor.fit_nrmse > 0.3);
    // By the bilinear rule and at N = 4 f, a relative mean squared error of at most 1e-3.
    const MemoryResult good =
        RunMemoryExperiment(History(static_cast<int64_t>(4 * cycles), cycles));
    CHECK(good.nrmse * good.nrmse < 1e-3);
    CHECK(good.largest_c < 4.5);
    CHECK(good.readouts == 1);
  }
}

TEST_CASE("by the exact rule LegS is the fit where that is small, too") {
  MemoryExperiment experiment = History(32, 8);
  experiment.rule = StepRule::kZoh;
  experiment.start = LegsStart::kFirstSample;
  const MemoryResult result = RunMemoryExperiment(experiment);
  CHECK(result.fit_nrmse < 2e-3);
  CHECK(result.nrmse < 1.05 * result.fit_nrmse);
  CHECK(result.nrmse >= result.fit_nrmse);
}

TEST_CASE("no memory beats the fit, and windows are read eleven times") {
  for (HippoMeasure measure : {kLegT, kLegTHalved, kLmu, kFouT}) {
    for (int64_t window : {100, 101}) {
      CAPTURE(NameOf(measure));
      MemoryExperiment experiment = Window(measure, 10, 4);
      experiment.window = window;
      const MemoryResult result = RunMemoryExperiment(experiment);
      CHECK(result.nrmse >= result.fit_nrmse);
      CHECK(result.fit_nrmse > 0.05);
      CHECK(result.nrmse < 1);
      CHECK(result.readouts == 11);
    }
  }
}

TEST_CASE("the same settings give the same bits, another seed another signal") {
  MemoryExperiment experiment = Window(kLegT, 12, 4);
  const MemoryResult first = RunMemoryExperiment(experiment);
  CHECK(RunMemoryExperiment(experiment).nrmse == first.nrmse);
  experiment.seed = 2;
  CHECK(RunMemoryExperiment(experiment).nrmse != first.nrmse);
}

TEST_CASE("the forward rule's transient is told, overflow or not") {
  MemoryExperiment experiment = History(32, 4);
  experiment.rule = StepRule::kForwardEuler;
  experiment.window = 1000;
  CHECK(RunMemoryExperiment(experiment).largest_c > 1e20);
  experiment.memory.order = 512;
  const MemoryResult overflowed = RunMemoryExperiment(experiment);
  CHECK(!std::isfinite(overflowed.largest_c));
  CHECK(!std::isfinite(overflowed.nrmse));
  CHECK(std::isfinite(overflowed.fit_nrmse));
}

TEST_CASE("every fault of the settings is told") {
  MemoryExperiment experiment = Window(kLagT, 40, 30);
  experiment.window = 20;
  experiment.signals = 0;
  experiment.read_offset = 2;
  CHECK(FaultsOf(experiment) ==
        std::vector<std::string>{"memory is lagt, which has no window to be read; give legs, legt, "
                                 "legt_halved, lmu or fout",
                                 "window is 20 samples; it is at least 2 and the order of 40",
                                 "cycles is 30; it is 0.125 to half the window, 10",
                                 "signals is 0; it is 1 or more",
                                 "read_offset is 2; it is 0 to 1"});
  CHECK_THROWS_AS(RunMemoryExperiment(experiment), Error);
}

}  // namespace
}  // namespace ssm
