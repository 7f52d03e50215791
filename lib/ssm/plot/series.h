// What a figure shows, whatever draws it.
#pragma once

#include <string>
#include <vector>

namespace ssm {

/// A curve; points with a coordinate that is not finite (or not positive on a log axis) are gaps.
struct Series {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low, high;  // a band around y, or empty
};

/// A horizontal line across the figure: a ceiling, a heuristic, chance.
struct Level {
  std::string name;
  double y = 0;
};

struct Figure {
  std::string title;
  std::string x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Series> series;
  std::vector<Level> levels;
};

}  // namespace ssm
