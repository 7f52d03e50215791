// Values that are evenly spaced by ratio.
#pragma once

#include <cstdint>
#include <vector>

namespace ssm {

/// `count` >= 2 numbers from `low` to `high`, both counted exactly, each the same multiple of the
/// one before but for rounding; 0 < low < high, both finite and of any ratio.
std::vector<double> GeometricGrid(double low, double high, int64_t count);

}  // namespace ssm
