#include "ssm/plot/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ssm {

std::vector<double> LogEdges(std::span<const double> values) {
  constexpr double kMostBars = 48;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!(value > 0 && std::isfinite(value))) continue;
    low = std::min(low, std::log2(value));
    high = std::max(high, std::log2(value));
  }
  std::vector<double> edges;
  if (low > high) return edges;
  double per_octave = 4;
  while (per_octave > 1 && (high - low) * per_octave > kMostBars) per_octave /= 2;
  const double first = std::floor(low * per_octave), last = std::floor(high * per_octave) + 1;
  for (double i = first; i <= last; ++i) edges.push_back(std::exp2(i / per_octave));
  return edges;
}

Series HistogramOf(const std::string& name, std::span<const double> values,
                   std::span<const double> edges) {
  Series series;
  series.name = name;
  series.mark = Mark::kBars;
  if (edges.size() < 2) return series;
  series.x.assign(edges.begin(), edges.end());
  series.y.assign(edges.size() - 1, 0.0);
  for (const double value : values) {
    if (!(edges.front() <= value && value <= edges.back())) continue;
    const auto above = std::upper_bound(edges.begin(), edges.end(), value) - edges.begin();
    series.y[std::min(static_cast<size_t>(above) - 1, series.y.size() - 1)] += 1;
  }
  return series;
}

}  // namespace ssm
