#include "ssm/training/early_stop.h"

#include <cmath>

namespace ssm {

bool EarlyStop::Add(int64_t step, double value) {
  const bool first = state_.best_step == 0;
  const bool larger = higher_is_better_ ? value > state_.best_value : value < state_.best_value;
  const bool better = std::isfinite(value) && (first || larger);
  if (!better) {
    ++state_.since_best;
    return false;
  }
  state_ = {step, value, 0};
  return true;
}

}  // namespace ssm
