// Small things that tasks share when they draw sequences.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// The random stream of a split: no example of one is ever one of another.
constexpr RandomStream StreamOf(Split split) {
  switch (split) {
    case Split::kTrain:
      return RandomStream::kTrain;
    case Split::kValidation:
      return RandomStream::kValidation;
    case Split::kTest:
      return RandomStream::kTest;
    case Split::kProbe:
      break;
  }
  return RandomStream::kProbe;
}

/// Refuses another sampling rate than the trained one, for tasks that have none. `who`: the task's
/// type; `what`: "symbols have", what is shown and its verb. @throws Error(kBadConfig).
void RequireTrainedRate(std::string_view who, std::string_view what, const StreamOptions& options);

/// "accuracy" of each reference, `values` in their order; that of the first, the ceiling, is exact
/// as all that is asked was shown.
std::vector<KnownValue> KnownAccuracies(std::span<const Reference> references,
                                        std::span<const double> values);

/// A logit that leaves the other classes no chance: how a predictor that knows the answer says it.
inline constexpr double kSureLogit = 40;

}  // namespace ssm
