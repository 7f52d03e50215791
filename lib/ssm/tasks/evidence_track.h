// evidence.track: where is a wandering quantity now, or where was it a while ago?
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/task.h"
#include "ssm/tasks/track_stream.h"

namespace ssm {

/// z is a stationary Ornstein-Uhlenbeck process of variance 1 and time constant tau,
/// z_t = a z_{t-1} + sqrt(1 - a^2) eta_t, a = exp(-1/tau), seen through noise,
/// x_t = z_t + noise eps_t, each sample shown with probability 1 - miss. The target is z_t (filter)
/// or z_{t-lag} (recall); steps up to tau, and those before there is a target, are not scored.
/// The ceiling is the Kalman filter, or the fixed-lag smoother; nmse is in units of Var z = 1.
///
/// At dt_scale k the same process is sampled k times as coarsely, a = exp(-k/tau), lag and leaks
/// shrink by k; noise is that of a sample, whatever the rate.
class EvidenceTrack final : public Task {
 public:
  enum class Target { kFilter, kRecall };

  double tau = 30;
  double noise = 1;
  Target target = Target::kFilter;
  int64_t lag = 0;
  double miss = 0;
  int64_t steps = 0;  // 0: max(512, 5 tau) + lag
  /// Of models that see only so many newest steps, whose floors `Describe` tells: a layer of
  /// attention over a window of W sees W, n of them n (W - 1) + 1. Nothing is drawn or scored
  /// otherwise for it.
  std::vector<int64_t> windows{4, 8, 32};

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

  /// What `steps` comes to.
  int64_t Steps() const;

 private:
  std::string DescribeWindows() const;
  /// Time constants of the leaky heuristics, in trained steps: a third of tau, tau, three times
  /// tau.
  std::vector<double> LeakTaus() const;
  TrackLaw LawOf(const StreamOptions& options) const;
};

}  // namespace ssm
