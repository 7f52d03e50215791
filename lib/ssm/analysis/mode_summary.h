// What the modes of a linear layer remember, in a few numbers, and what training did to them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ssm/mixers/linear_mode.h"

namespace ssm {

struct Spread {
  double least = 0, median = 0, most = 0;
};

/// Of at least one value; an even number of them has the mean of the middle two for its median.
Spread SpreadOf(std::vector<double> values);

/// Tokens until half of a mode is left: ln 2 / decay; infinite where nothing decays, negative where
/// a mode grows: what it doubles in.
double HalfLife(const LinearMode& mode);

/// Over the modes of one layer.
struct ModeSummary {
  int64_t modes = 0;
  Spread time_constant;  // 1 / |Re pole|, in the layer's own clock
  Spread dt;             // of that clock in a token
  Spread radius;         // |multiplier|
  Spread half_life;      // tokens
  Spread write;
};
ModeSummary Summarise(std::span<const LinearMode> modes);

/// How far the middle mode moved: the median over modes of |ln(after / before)| of dt, and of the
/// larger of |ln(after / before)| of Re pole (of one that does not decay, |after - before| per
/// |pole|) and |after - before| of Im pole per |pole|. Modes are compared in their order; where two
/// real ones became a pair, or a pair two real ones, as many as there are of both.
struct ModeMovement {
  double pole = 0, dt = 0;
};
ModeMovement MovementOf(std::span<const LinearMode> before, std::span<const LinearMode> after);
/// "a", "dt", "a and dt" or "neither": what moved by 1 % or more in the middle mode. A layer whose
/// dt alone moved has other half-lives in tokens with the constants of its A unchanged.
std::string WhatMoved(const ModeMovement& movement);

}  // namespace ssm
