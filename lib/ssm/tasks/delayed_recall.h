// delayed_recall: say what the input was so many steps ago, at every step.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ssm/tasks/delay_stream.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// y_t = x_{t-delay} (RepeatPrevious of POPGym; the Delay task of the state-space literature where
/// the signal is smooth). With V symbols a perfect state holds delay log2 V bits; the retention
/// curve of a model is its score over a sweep of `delay`. Everything was shown: the ceiling is an
/// accuracy of 1 or an nmse of 0, in units of Var x = 1.
///
/// At dt_scale k a smooth signal is the same one sampled k times as coarsely, its delay shrunk by
/// k; symbols and noise have no other rate.
class DelayedRecall final : public Task {
 public:
  DelaySignal signal = DelaySignal::kSymbols;
  int64_t symbols = 8;
  double bandwidth = 0.05;
  int64_t delay = 16;
  int64_t steps = 0;  // 0: max(128, 4 delay)

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

  /// What `steps` comes to.
  int64_t Steps() const { return steps > 0 ? steps : std::max<int64_t>(128, 4 * delay); }

 private:
  DelayLaw LawOf(const StreamOptions& options) const;
};

}  // namespace ssm
