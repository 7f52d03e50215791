// The range of an axis and where it is labelled.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ssm/plot/series.h"

namespace ssm {

/// Maps data to [0, 1]. `low` < `high`, both positive when `log`.
struct Axis {
  double low = 0, high = 1;
  bool log = false;

  /// Where a value lies; NaN when it is not finite, or not positive on a log axis.
  double Place(double value) const;
  /// Round numbers inside [low, high], about `count` of them: multiples of 1, 2 or 5 times a power
  /// of ten, or powers of ten (of two when the range is short) on a log axis.
  std::vector<double> Ticks(int count) const;
};

/// An axis that holds every usable value; a single value or none gets room around it.
Axis FitAxis(std::span<const double> values, bool log);

/// The axes of a figure: all series, bands and levels inside, with a little room above and below.
Axis FitX(const Figure& figure);
Axis FitY(const Figure& figure);

/// Widens the axis that is drawn larger, about its middle, so that a unit is as long on `width` of
/// x as on `height` of y. Neither is logarithmic.
void EqualiseScales(double width, double height, Axis& x, Axis& y);

/// "0.05", "1000", "1e+06": four significant digits at most, no trailing zeros.
std::string TickLabel(double value);

}  // namespace ssm
