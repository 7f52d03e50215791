// One line of stderr that says how far something is.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ssm {

/// A part of a line. Where a line has no room, parts of the highest `spare` go first; 0 stays
/// longest.
struct LinePart {
  std::string text;
  int spare = 0;
};

/// The parts that fit into `room` columns, in their order, two blanks between. Empty when none
/// does.
std::string FitParts(std::span<const LinePart> parts, size_t room);

/// On a terminal one line, rewritten at most 10 times a second; else a plain line every 30 s. Uses
/// neither colour nor cursor codes, so NO_COLOR has nothing to object to; TERM=dumb gets plain
/// lines.
class ProgressLine {
 public:
  /// Nothing is shown when not `wanted` or below LogLevel::kInfo.
  explicit ProgressLine(bool wanted);
  /// Clears the line.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether enough time has passed for another line; on a terminal the `last` is always shown.
  bool Due(bool last) const;
  void Show(std::span<const LinePart> parts);
  /// Takes it away, for other lines to be written.
  void Clear();
  /// Seconds since the construction.
  double seconds() const;

 private:
  using Time = std::chrono::steady_clock;
  void Rewrite(const std::string& text);

  bool wanted_, terminal_;
  size_t width_ = 0;  // of what stands on the terminal's line
  Time::time_point start_, shown_;
};

/// "1,234 tokens/s"; "12 s left".
std::string TokenRate(double tokens, double seconds);
std::string TimeLeft(double seconds);

}  // namespace ssm
