// evidence.decide: which of two sides does a stream of noisy samples come from?
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/decide_law.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Per trial a side s = +-1 and samples x = s m + sigma xi, xi ~ N(0, 1), each shown with
/// probability 1 - miss; then a delay of nothing or distractor noise. The last step carries the go
/// cue and the only label. A given d' sets m = d' sigma / sqrt(samples seen), so the ceiling is
/// Phi(d') at any length (Green & Swets 1966); trials that would show nothing are drawn anew.
///
/// StreamOptions::steps counts stimulus and delay. At dt_scale k a sample is the mean of k trained
/// ones (sd sigma / sqrt(k)), delay and leaks shrink by k. Split kProbe has no drift and random
/// labels.
class EvidenceDecide final : public Task {
 public:
  int64_t steps = 256;
  std::vector<double> drift;
  double dprime = 2;
  double sigma = 1;
  int64_t delay = 0;
  double distractor_sigma = 0;
  double miss = 0;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::unique_ptr<Scorer> MakeScorer(Split split) const override;
  std::string Describe() const override;

 private:
  /// Time constants of the leaky heuristics, in trained steps: 1/64, 1/16 and 1/4 of the stimulus.
  std::vector<double> LeakTaus() const;
  DecideLaw LawOf(Split split, const StreamOptions& options) const;
};

}  // namespace ssm
