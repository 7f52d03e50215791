// What a person sees while a run trains.
#pragma once

#include <cstdint>
#include <string_view>

#include "ssm/experiment/progress_line.h"
#include "ssm/training/trainer.h"

namespace ssm {

class TrainProgress {
 public:
  /// `done` of `steps` steps lie behind.
  TrainProgress(bool wanted, int64_t done, int64_t steps);

  void Show(const StepReport& report);
  /// Logs a line of its own, the progress line out of its way.
  void Note(std::string_view line);

  /// Since the construction.
  double seconds() const { return line_.seconds(); }
  /// Over everything shown so far.
  double tokens_per_second() const;

 private:
  ProgressLine line_;
  int64_t first_, steps_;
  int64_t tokens_ = 0;
};

}  // namespace ssm
