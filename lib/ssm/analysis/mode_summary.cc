#include "ssm/analysis/mode_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

constexpr double kMoved = 0.01;

template <class F>
Spread Over(std::span<const LinearMode> modes, const F& value_of) {
  std::vector<double> values;
  for (const LinearMode& mode : modes) values.push_back(value_of(mode));
  return SpreadOf(std::move(values));
}

/// A pole that does not decay has no logarithm of its rate: its move is a share of its size.
double PoleMovement(std::complex<double> from, std::complex<double> to) {
  if (from == to) return 0;
  const double size = std::abs(from);
  const bool decay = from.real() < 0 && to.real() < 0;
  const double rate = decay ? std::fabs(std::log(to.real() / from.real()))
                            : std::fabs(to.real() - from.real()) / size;
  return std::max(rate, std::fabs(to.imag() - from.imag()) / size);
}

}  // namespace

Spread SpreadOf(std::vector<double> values) {
  SSM_CHECK(!values.empty(), "a spread needs a value");
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  const double upper = values[half], lower = values[(values.size() - 1) / 2];
  return {values.front(), lower == upper ? lower : lower + 0.5 * (upper - lower), values.back()};
}

double HalfLife(const LinearMode& mode) {
  if (mode.decay == 0) return std::numeric_limits<double>::infinity();
  return std::numbers::ln2 / mode.decay;
}

ModeSummary Summarise(std::span<const LinearMode> modes) {
  ModeSummary summary;
  summary.modes = std::ssize(modes);
  if (modes.empty()) return summary;
  summary.time_constant =
      Over(modes, [](const LinearMode& mode) { return 1 / std::fabs(mode.pole.real()); });
  summary.dt = Over(modes, [](const LinearMode& mode) { return mode.dt; });
  summary.radius = Over(modes, [](const LinearMode& mode) { return std::abs(mode.multiplier); });
  summary.half_life = Over(modes, HalfLife);
  summary.write = Over(modes, [](const LinearMode& mode) { return mode.write; });
  return summary;
}

ModeMovement MovementOf(std::span<const LinearMode> before, std::span<const LinearMode> after) {
  const size_t modes = std::min(before.size(), after.size());
  if (modes == 0) return {};
  std::vector<double> pole, dt;
  for (size_t i = 0; i < modes; ++i) {
    pole.push_back(PoleMovement(before[i].pole, after[i].pole));
    dt.push_back(std::fabs(std::log(after[i].dt / before[i].dt)));
  }
  return {SpreadOf(std::move(pole)).median, SpreadOf(std::move(dt)).median};
}

std::string WhatMoved(const ModeMovement& movement) {
  const double least = std::log1p(kMoved);
  const bool pole = movement.pole >= least, dt = movement.dt >= least;
  if (pole && dt) return "a and dt";
  return pole ? "a" : dt ? "dt" : "neither";
}

}  // namespace ssm
