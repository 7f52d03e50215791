#include "ssm/plot/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "ssm/base/terminal.h"
#include "ssm/plot/axis.h"

namespace ssm {
namespace {

constexpr std::array<const char*, 4> kMarks = {"\u25cf", "\u25cb", "\u25a0", "\u25a1"};
constexpr std::array<const char*, 4> kAsciiMarks = {"*", "o", "#", "x"};
constexpr std::array<const char*, 3> kRules = {"\u2500", "\u2504", "\u00b7"};
constexpr std::array<const char*, 3> kAsciiRules = {"-", "=", "."};

size_t Columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string Padded(const std::string& text, size_t width) {
  const size_t have = Columns(text);
  return have >= width ? text : text + std::string(width - have, ' ');
}

std::string RightAligned(const std::string& text, size_t width) {
  const size_t have = Columns(text);
  return have >= width ? text : std::string(width - have, ' ') + text;
}

void EndLine(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

/// Cells of the plot area; row 0 is the top.
class Grid {
 public:
  Grid(int width, int height)
      : width_(width), cells_(static_cast<size_t>(width) * static_cast<size_t>(height), " ") {}
  void Put(int row, int column, const char* glyph) { cells_[Index(row, column)] = glyph; }
  std::string Row(int row) const {
    std::string line;
    for (int c = 0; c < width_; ++c) line += cells_[Index(row, c)];
    return line;
  }

 private:
  size_t Index(int row, int column) const {
    return static_cast<size_t>(row) * static_cast<size_t>(width_) + static_cast<size_t>(column);
  }
  int width_;
  std::vector<std::string> cells_;
};

struct Area {
  Axis x, y;
  int width = 0, height = 0;
  int Row(double place) const {
    const int row = static_cast<int>(std::lround((1 - place) * (height - 1)));
    return std::clamp(row, 0, height - 1);
  }
  int Column(double place) const {
    const int column = static_cast<int>(std::lround(place * (width - 1)));
    return std::clamp(column, 0, width - 1);
  }
};

void PutSeries(Grid& grid, const Area& area, const Series& series, const char* mark) {
  const size_t n = std::min(series.x.size(), series.y.size());
  int last_column = -1;
  double last_place = 0;
  for (size_t i = 0; i < n; ++i) {
    const double px = area.x.Place(series.x[i]);
    const double py = area.y.Place(series.y[i]);
    if (!std::isfinite(px) || !std::isfinite(py)) {
      last_column = -1;
      continue;
    }
    const int column = area.Column(px);
    for (int c = last_column + 1; last_column >= 0 && c < column; ++c) {
      const double share = static_cast<double>(c - last_column) / (column - last_column);
      grid.Put(area.Row(last_place + share * (py - last_place)), c, mark);
    }
    grid.Put(area.Row(py), column, mark);
    last_column = series.mark == Mark::kLine ? column : -1;
    last_place = py;
  }
}

/// The label of each row of the y axis; "" for most.
std::vector<std::string> RowLabels(const Area& area) {
  std::vector<std::string> labels(static_cast<size_t>(area.height));
  for (const double tick : area.y.Ticks(std::max(2, area.height / 3))) {
    labels[static_cast<size_t>(area.Row(area.y.Place(tick)))] = TickLabel(tick);
  }
  return labels;
}

std::string XAxisLabels(const Area& area, const std::string& label) {
  std::string line(static_cast<size_t>(area.width), ' ');
  size_t free_from = 0;
  for (const double tick : area.x.Ticks(std::max(2, area.width / 12))) {
    const std::string text = TickLabel(tick);
    const size_t at = static_cast<size_t>(area.Column(area.x.Place(tick)));
    const size_t from = std::min(at, line.size() - std::min(line.size(), text.size()));
    if (from < free_from) continue;
    line.replace(from, text.size(), text);
    free_from = from + text.size() + 1;
  }
  return label.empty() ? line : line + "  " + label;
}

}  // namespace

TerminalStyle TerminalStyleFor(int descriptor) {
  const char* term = std::getenv("TERM");
  TerminalStyle style;
  style.unicode = term == nullptr || std::string_view(term) != "dumb";
  style.width = std::clamp(TerminalWidth(descriptor), 40, 80);
  return style;
}

std::string DrawLines(const Figure& figure, const TerminalStyle& style) {
  if (figure.series.empty() && figure.levels.empty()) return "";
  const auto& marks = style.unicode ? kMarks : kAsciiMarks;
  const auto& rules = style.unicode ? kRules : kAsciiRules;
  Area area{FitX(figure), FitY(figure), 0, std::max(2, style.height)};
  const std::vector<std::string> labels = RowLabels(area);
  size_t gutter = 0;
  for (const std::string& label : labels) gutter = std::max(gutter, Columns(label));
  area.width = std::max(8, style.width - static_cast<int>(gutter) - 2 -
                               static_cast<int>(Columns(figure.x_label)) - 2);

  Grid grid(area.width, area.height);
  for (size_t i = 0; i < figure.levels.size(); ++i) {
    const double place = area.y.Place(figure.levels[i].y);
    if (!std::isfinite(place)) continue;
    for (int c = 0; c < area.width; ++c) {
      grid.Put(area.Row(place), c, rules[i % rules.size()]);
    }
  }
  for (size_t i = 0; i < figure.series.size(); ++i) {
    PutSeries(grid, area, figure.series[i], marks[i % marks.size()]);
  }

  std::string text = figure.title;
  if (!figure.y_label.empty()) text += (text.empty() ? "" : ": ") + figure.y_label;
  if (!text.empty()) EndLine(text);
  for (int row = 0; row < area.height; ++row) {
    std::string line = RightAligned(labels[static_cast<size_t>(row)], gutter);
    line += style.unicode ? " \u2502" : " |";
    line += grid.Row(row);
    EndLine(line);
    text += line;
  }
  std::string axis = std::string(gutter + 2, ' ') + XAxisLabels(area, figure.x_label);
  EndLine(axis);
  text += axis;
  std::string legend = std::string(gutter + 2, ' ');
  for (size_t i = 0; i < figure.series.size(); ++i) {
    legend += fmt::format("{} {}   ", marks[i % marks.size()], figure.series[i].name);
  }
  for (size_t i = 0; i < figure.levels.size(); ++i) {
    legend += fmt::format("{} {}   ", rules[i % rules.size()], figure.levels[i].name);
  }
  EndLine(legend);
  return text + legend;
}

namespace {

/// A bar of `eighths` eighths of a column.
std::string Blocks(int eighths, bool negative, bool unicode) {
  if (!unicode) return std::string(static_cast<size_t>((eighths + 4) / 8), negative ? '-' : '#');
  static constexpr std::array<const char*, 8> kParts = {"",       "\u258f", "\u258e", "\u258d",
                                                        "\u258c", "\u258b", "\u258a", "\u2589"};
  std::string bar;
  if (negative) {
    for (int i = 0; i < (eighths + 4) / 8; ++i) bar += "\u2591";
    return bar;
  }
  for (int i = 0; i < eighths / 8; ++i) bar += "\u2588";
  return bar + kParts[static_cast<size_t>(eighths % 8)];
}

}  // namespace

std::string DrawBars(std::span<const Bar> bars, const TerminalStyle& style) {
  size_t label_width = 0;
  size_t value_width = 0;
  double largest = 0;
  for (const Bar& bar : bars) {
    label_width = std::max(label_width, Columns(bar.label));
    if (!std::isfinite(bar.value)) continue;
    largest = std::max(largest, std::abs(bar.value));
    value_width = std::max(value_width, TickLabel(bar.value).size());
  }
  const int width =
      std::max(8, style.width - static_cast<int>(label_width) - static_cast<int>(value_width) - 2);
  std::string text;
  for (const Bar& bar : bars) {
    const bool finite = std::isfinite(bar.value);
    const double share = finite && largest > 0 ? std::abs(bar.value) / largest : 0;
    const int eighths = static_cast<int>(std::lround(share * width * 8));
    std::string line = Padded(bar.label, label_width) + " " +
                       RightAligned(finite ? TickLabel(bar.value) : "-", value_width) + " " +
                       Blocks(eighths, bar.value < 0, style.unicode);
    EndLine(line);
    text += line;
  }
  return text;
}

}  // namespace ssm
