#include "ssm/plot/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ssm {
namespace {

bool Usable(double value, bool log) { return std::isfinite(value) && (!log || value > 0); }

/// The smallest of 1, 2, 5, 10 times a power of ten that is not below `step`.
double RoundStep(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> LinearTicks(double low, double high, int count) {
  const double step = RoundStep((high - low) / count);
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9);
  for (double n = first; n * step <= high + 1e-9 * step; ++n) ticks.push_back(n * step);
  return ticks;
}

std::vector<double> PowerTicks(double low, double high, double base, int count) {
  const double from = std::ceil(std::log(low) / std::log(base) - 1e-9);
  const double to = std::floor(std::log(high) / std::log(base) + 1e-9);
  const double stride = std::max(1.0, std::ceil((to - from + 1) / count));
  std::vector<double> ticks;
  for (double n = from; n <= to; n += stride) ticks.push_back(std::pow(base, n));
  return ticks;
}

Axis Padded(Axis axis) {
  if (axis.log) {
    const double room = std::pow(axis.high / axis.low, 0.05);
    return {axis.low / room, axis.high * room, true};
  }
  const double room = 0.05 * (axis.high - axis.low);
  return {axis.low - room, axis.high + room, false};
}

void AddCircles(const Figure& figure, std::vector<double>& values) {
  for (const Circle& circle : figure.circles) {
    values.insert(values.end(), {-circle.radius, circle.radius});
  }
}

}  // namespace

double Axis::Place(double value) const {
  if (!Usable(value, log)) return std::numeric_limits<double>::quiet_NaN();
  if (log) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

std::vector<double> Axis::Ticks(int count) const {
  if (!log) return LinearTicks(low, high, count);
  std::vector<double> ticks = PowerTicks(low, high, 10, count);
  if (ticks.size() < 3) ticks = PowerTicks(low, high, 2, count);
  return ticks.size() < 2 ? LinearTicks(low, high, count) : ticks;
}

Axis FitAxis(std::span<const double> values, bool log) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!Usable(value, log)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return log ? Axis{1, 10, true} : Axis{0, 1, false};
  if (low == high) {
    if (log) return {low / 2, high * 2, true};
    const double room = low == 0 ? 1 : 0.5 * std::abs(low);
    return {low - room, high + room, false};
  }
  return {low, high, log};
}

Axis FitX(const Figure& figure) {
  std::vector<double> values;
  for (const Series& series : figure.series) {
    values.insert(values.end(), series.x.begin(), series.x.end());
  }
  for (const Upright& upright : figure.uprights) values.push_back(upright.x);
  AddCircles(figure, values);
  const Axis axis = FitAxis(values, figure.log_x);
  return figure.equal_scales ? Padded(axis) : axis;
}

Axis FitY(const Figure& figure) {
  std::vector<double> values;
  bool bars = false;
  for (const Series& series : figure.series) {
    for (const auto* part : {&series.y, &series.low, &series.high}) {
      values.insert(values.end(), part->begin(), part->end());
    }
    if (series.mark != Mark::kBars) continue;
    bars = true;
    values.push_back(0);
  }
  for (const Level& level : figure.levels) values.push_back(level.y);
  AddCircles(figure, values);
  Axis axis = Padded(FitAxis(values, figure.log_y));
  // Bars stand on the axis.
  if (bars && *std::min_element(values.begin(), values.end()) == 0) axis.low = 0;
  return axis;
}

void EqualiseScales(double width, double height, Axis& x, Axis& y) {
  const double across = (x.high - x.low) / width, up = (y.high - y.low) / height;
  Axis& narrow = across < up ? x : y;
  const double wanted = across < up ? up * width : across * height;
  const double room = 0.5 * (wanted - (narrow.high - narrow.low));
  narrow.low -= room;
  narrow.high += room;
}

std::string TickLabel(double value) { return fmt::format("{:.4g}", value == 0 ? 0.0 : value); }

}  // namespace ssm
