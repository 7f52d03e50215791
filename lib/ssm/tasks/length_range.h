// Sequences of unequal lengths in training, and of one length, or a range of them, in tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ssm/tasks/task.h"

namespace ssm {

/// Lengths uniform on the integers from `shortest` to `longest`.
struct Lengths {
  int64_t shortest = 1, longest = 1;
};

/// The fields of tasks whose sequences differ in length. Training and validation sequences have
/// lengths uniform on min_steps to the length asked for, test sequences that length itself, or
/// lengths from test_min_steps up to it.
struct LengthRange {
  int64_t steps = 40;
  int64_t min_steps = 3;
  int64_t test_min_steps = 0;

  void VisitLengths(FieldVisitor& visitor);
  void CheckLengths(Faults& faults) const;
  /// `task`: its type, for the sentence. @throws Error(kBadConfig) where the length asked for is
  /// shorter than the shortest.
  Lengths LengthsOf(std::string_view task, Split split, const StreamOptions& options) const;
  /// " Training sequences have 3 to 40 bits, each length as often.", and of tests where they
  /// differ. `noun`: what a step shows, "bit".
  std::string DescribeLengths(std::string_view noun) const;
  bool UnequalLengths() const { return min_steps < steps || test_min_steps > 0; }
};

/// Of all steps that are asked, each with `every` and else the last of each sequence, the part
/// whose whole past lies in the newest `window` steps.
double ShareWithin(const Lengths& lengths, bool every, int64_t window);

}  // namespace ssm
