// The learning rate as a function of the step.
#pragma once

#include <cstdint>

namespace ssm {

enum class ScheduleKind { kConstant, kCosine };

/// What step `step` (the first is 1) multiplies the peak learning rate by: step/warmup during the
/// warm-up; then 1, or (1 + cos(pi (step - 1 - warmup) / (steps - warmup))) / 2, which reaches 0
/// one step after the last. A pure function: nothing to save, nothing to resume.
double ScheduleFactor(ScheduleKind kind, int64_t step, int64_t warmup, int64_t steps);

}  // namespace ssm
