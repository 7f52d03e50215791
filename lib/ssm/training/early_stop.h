// When validation no longer improves.
#pragma once

#include <cstdint>

namespace ssm {

/// What a checkpoint keeps of it.
struct EarlyStopState {
  int64_t best_step = 0;  // 0: nothing evaluated yet
  double best_value = 0;
  int64_t since_best = 0;  // evaluations after the first one of that value
  double best_loss = 0;
  bool operator==(const EarlyStopState&) const = default;
};

/// Follows the task's metric from evaluation to evaluation. What is not finite is never better. Of
/// equal values the one of the lower loss is the best: a metric may reach its end, an accuracy of
/// 1, long before the model is as good as it gets. Patience does not wait for that.
class EarlyStop {
 public:
  /// `patience`: evaluations without a better one before stopping; 0: never stop.
  EarlyStop(int64_t patience, bool higher_is_better)
      : patience_(patience), higher_is_better_(higher_is_better) {}

  /// Takes the metric and the loss of an evaluation; true when it is the best so far.
  bool Add(int64_t step, double value, double loss);
  bool ShouldStop() const { return patience_ > 0 && state_.since_best >= patience_; }

  const EarlyStopState& state() const { return state_; }
  void Restore(const EarlyStopState& state) { state_ = state; }

 private:
  int64_t patience_;
  bool higher_is_better_;
  EarlyStopState state_;
};

}  // namespace ssm
