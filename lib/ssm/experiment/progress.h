// What a person sees while a run trains.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "ssm/training/trainer.h"

namespace ssm {

/// On a terminal one line of stderr, rewritten at most 10 times a second; else a plain line every
/// 30 s. Uses neither colour nor cursor codes, so NO_COLOR has nothing to object to; TERM=dumb gets
/// plain lines.
class TrainProgress {
 public:
  /// `done` of `steps` steps lie behind.
  TrainProgress(bool wanted, int64_t done, int64_t steps);
  /// Clears the line.
  ~TrainProgress();

  void Show(const StepReport& report);
  /// Logs a line of its own, the progress line out of its way.
  void Note(std::string_view line);

  /// Since the construction.
  double seconds() const;
  /// Over everything shown so far.
  double tokens_per_second() const;

 private:
  using Time = std::chrono::steady_clock;
  std::string Line(const StepReport& report) const;
  void Rewrite(const std::string& line);

  bool wanted_, terminal_;
  int64_t first_, steps_;
  int64_t tokens_ = 0;
  size_t width_ = 0;  // of what stands on the terminal's line
  Time::time_point start_, shown_;
};

}  // namespace ssm
