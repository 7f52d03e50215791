#include "ssm/training/schedule.h"

#include <cmath>
#include <numbers>

namespace ssm {

double ScheduleFactor(ScheduleKind kind, int64_t step, int64_t warmup, int64_t steps) {
  if (step <= warmup) return static_cast<double>(step) / static_cast<double>(warmup);
  if (kind == ScheduleKind::kConstant) return 1;
  const double done = static_cast<double>(step - 1 - warmup);
  const double whole = static_cast<double>(steps - warmup);
  return 0.5 * (1 + std::cos(std::numbers::pi * done / whole));
}

}  // namespace ssm
