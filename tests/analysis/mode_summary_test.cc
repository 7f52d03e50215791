#include "ssm/analysis/mode_summary.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "ssm/mixers/lru.h"
#include "ssm/mixers/s4d.h"
#include "ssm/mixers/s5.h"

namespace ssm {
namespace {

TEST_CASE("spreads") {
  const Spread one = SpreadOf({3});
  CHECK(one.least == 3);
  CHECK(one.median == 3);
  CHECK(one.most == 3);
  CHECK(SpreadOf({4, 1, 2}).median == 2);
  CHECK(SpreadOf({4, 1, 2, 3}).median == 2.5);
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(SpreadOf({inf, 1, inf, inf}).median == inf);
}

TEST_CASE("what moved") {
  LinearMode mode;
  mode.pole = {-0.5, 3};
  mode.dt = 0.1;
  const std::vector<LinearMode> before(5, mode);
  std::vector<LinearMode> after = before;
  CHECK(WhatMoved(MovementOf(before, after)) == "neither");
  for (LinearMode& each : after) each.dt *= 1.5;
  CHECK(WhatMoved(MovementOf(before, after)) == "dt");
  CHECK(MovementOf(before, after).dt == doctest::Approx(std::log(1.5)));
  for (LinearMode& each : after) each.pole = {-0.25, 3};
  CHECK(WhatMoved(MovementOf(before, after)) == "a and dt");
  CHECK(MovementOf(before, after).pole == doctest::Approx(std::log(2)));
  for (LinearMode& each : after) each = {0, {-0.5, 4}, 0.1, {}, 0, 0};
  CHECK(WhatMoved(MovementOf(before, after)) == "a");
  CHECK(MovementOf(before, after).pole == doctest::Approx(1 / std::sqrt(9.25)));
  after = before;
  for (size_t i = 0; i < 2; ++i) after[i].pole *= 2;  // not the middle mode
  CHECK(WhatMoved(MovementOf(before, after)) == "neither");
  // Modes that grow or last have no logarithm of a decay.
  for (LinearMode& each : after) each.pole = {0.5, 3};
  CHECK(MovementOf(before, after).pole == doctest::Approx(1 / std::sqrt(9.25)));
  CHECK(MovementOf(after, after).pole == 0);
  for (LinearMode& each : after) each.pole = 0;
  CHECK(MovementOf(after, after).pole == 0);
  // Two real eigenvalues met: there is a mode less.
  CHECK(MovementOf(before, std::span(before).first(4)).pole == 0);
}

/// The modes of a layer of two channels as drawn, some of its parameters set.
template <class Options>
std::vector<LinearMode> Modes(const Options& options,
                              const std::vector<std::pair<std::string, double>>& set,
                              double dt_scale = 1) {
  ParameterStore store;
  ParameterBuilder builder(store, 3);
  const auto mixer = options.BuildDouble({.d_model = 2}, builder);
  Parameters<double> parameters(store);
  for (const auto& [name, value] : set) {
    const ParameterInfo* info = store.Find(name);
    REQUIRE(info != nullptr);
    std::fill_n(parameters.values(*info).begin(), info->param.shape.size(), value);
  }
  parameters.Touch();
  return mixer->Modes(parameters.View(), dt_scale);
}

TEST_CASE("a mode of s4d: its pole, its clock, its half-life in tokens") {
  S4dOptions options;
  options.d_state = 4;
  const double dt = 0.1, rate = 0.25;
  const auto modes =
      Modes(options, {{"log_dt", std::log(dt)}, {"log_A_real", std::log(rate)}, {"A_imag", 2}}, 2);
  REQUIRE(modes.size() == 4);
  CHECK(modes[0].channel == 0);
  CHECK(modes[3].channel == 1);
  const std::complex<double> pole(-rate, 2);
  for (const LinearMode& mode : modes) {
    CHECK(std::abs(mode.pole - pole) < 1e-14);
    CHECK(std::abs(mode.multiplier - std::exp(0.2 * pole)) < 1e-14);
    CHECK(HalfLife(mode) == doctest::Approx(std::log(2) / (rate * 0.2)).epsilon(1e-13));
    CHECK(mode.write == doctest::Approx(std::abs((std::exp(0.2 * pole) - 1.0) / pole)));
  }
  const ModeSummary summary = Summarise(modes);
  CHECK(summary.modes == 4);
  CHECK(summary.time_constant.median == doctest::Approx(4));
}

TEST_CASE("a bilinear mode decays by what its multiplier says, slow ones too") {
  S4dOptions options;
  options.d_state = 2;
  options.rule = DiscretizationRule::kBilinear;
  const auto fast = Modes(options, {{"log_dt", 0}, {"log_A_real", 0}, {"A_imag", 3}});
  CHECK(fast[0].decay == doctest::Approx(-std::log(std::abs(fast[0].multiplier))).epsilon(1e-12));
  // |1 + z/2|^2 / |1 - z/2|^2 with z = -1e-12 + i: a decay of 1e-12 / (1 + 1/4), of which the
  // multiplier has lost all but four digits.
  const auto slow = Modes(options, {{"log_dt", 0}, {"log_A_real", std::log(1e-12)}, {"A_imag", 1}});
  CHECK(slow[0].decay == doctest::Approx(0.8e-12).epsilon(1e-9));
}

TEST_CASE("modes that channels share: s5 and lru") {
  S5Options s5;
  s5.d_state = 6;
  const auto five = Modes(s5, {{"log_dt", std::log(0.5)}, {"B", 0.5}});
  REQUIRE(five.size() == 3);
  CHECK(five[0].channel == -1);
  // |B_bar| of one mode times the norm of two numbers 1/2 + i/2.
  const std::complex<double> pole = five[1].pole;
  CHECK(five[1].write == doctest::Approx(std::abs((std::exp(0.5 * pole) - 1.0) / pole)));

  LruOptions lru;
  lru.d_state = 3;
  const auto three = Modes(lru, {{"nu_log", std::log(0.02)},
                                 {"theta_log", std::log(0.3)},
                                 {"gamma_log", std::log(0.1)},
                                 {"B", 0.5}});
  REQUIRE(three.size() == 3);
  CHECK(std::abs(three[0].multiplier - std::exp(std::complex<double>(-0.02, 0.3))) < 1e-14);
  CHECK(three[0].dt == 1);
  CHECK(three[0].write == doctest::Approx(0.1));
}

}  // namespace
}  // namespace ssm
