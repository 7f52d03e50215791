// What a figure shows, whatever draws it.
#pragma once

#include <string>
#include <vector>

namespace ssm {

/// How a series is drawn. kBars is a histogram: x holds the n + 1 edges of n bars from 0 to y.
enum class Mark { kLine, kDots, kCrosses, kBars };

/// A curve; points with a coordinate that is not finite (or not positive on a log axis) are gaps.
struct Series {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low, high;  // a band around y, or empty
  Mark mark = Mark::kLine;
};

/// A horizontal line across the figure: a ceiling, a heuristic, chance.
struct Level {
  std::string name;
  double y = 0;
};

/// A vertical one: the imaginary axis.
struct Upright {
  std::string name;
  double x = 0;
};

/// Around the origin: the unit circle. Round where the figure's scales are equal.
struct Circle {
  std::string name;
  double radius = 1;
};

struct Figure {
  std::string title;
  std::string x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Series> series;
  std::vector<Level> levels;
  // In SVG alone:
  std::vector<Upright> uprights;
  std::vector<Circle> circles;
  bool equal_scales = false;  // a unit is as long on both axes, neither being logarithmic
};

}  // namespace ssm
