#include "ssm/training/early_stop.h"

#include <cmath>

namespace ssm {

bool EarlyStop::Add(int64_t step, double value, double loss) {
  const bool first = state_.best_step == 0;
  const bool larger = higher_is_better_ ? value > state_.best_value : value < state_.best_value;
  if (std::isfinite(value) && (first || larger)) {
    state_ = {step, value, 0, loss};
    return true;
  }
  ++state_.since_best;
  const bool equal = !first && value == state_.best_value && loss < state_.best_loss;
  if (equal) state_.best_step = step, state_.best_loss = loss;
  return equal;
}

}  // namespace ssm
