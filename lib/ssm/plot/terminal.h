// Small figures made of characters.
#pragma once

#include <span>
#include <string>

#include "ssm/plot/series.h"

namespace ssm {

struct TerminalStyle {
  int width = 72;       // columns in all
  int height = 10;      // rows of the plot area
  bool unicode = true;  // blocks and box lines; else ASCII
};

/// Unicode unless TERM is "dumb".
TerminalStyle TerminalStyleFor(int descriptor);

/// Curves and levels on one grid, axes labelled, a legend below; every line ended by a newline and
/// without trailing blanks. Bands, bars, uprights and circles are not drawn. The points of a line
/// are joined straight on the axes' scales. "" when there is nothing to draw.
std::string DrawLines(const Figure& figure, const TerminalStyle& style);

struct Bar {
  std::string label;
  double value = 0;
};

/// One line a bar: label, a bar from zero, the value. Negative values show as a bar of another
/// texture; values that are not finite as "-". All bars share one scale.
std::string DrawBars(std::span<const Bar> bars, const TerminalStyle& style);

}  // namespace ssm
