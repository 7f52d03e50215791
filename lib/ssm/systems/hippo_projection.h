// HiPPO online with a time-invariant pair: a sliding window or a fading past, sample by sample.
#pragma once

#include <span>

#include "ssm/systems/hippo_matrices.h"
#include "ssm/systems/step_rule.h"

namespace ssm {

/// c' = A c + B f for a batch of channels from c = 0, each sample held for `dt` in the time of
/// MakeHippo's pair: a window of n samples is dt = WindowLength / n. The sample d steps back covers
/// the ages from d dt to (d + 1) dt, so its middle is at d + 1/2 samples.
///
/// kForwardEuler diverges where dt is not small beside 1 / N^2; the other rules are bounded. kZoh
/// is the projection itself for LagT (its degrees below N are closed), while a window's pair
/// guesses the sample that leaves it from its own reconstruction. LegS's pair without 1 / t keeps
/// age a of HippoBasis at time -log(1 - a).
///
/// Cost of a step: O(N^2 channels). O(N^3) once.
class HippoProjection {
 public:
  /// channels >= 1. @throws Error(kBadConfig) for options that are not valid or a dt that is not
  /// above 0 and finite.
  HippoProjection(const HippoOptions& options, int64_t channels, StepRule rule, double dt);

  /// One sample of each channel, [channels].
  void Step(std::span<const double> sample);

  /// [N, channels], in the basis of HippoBasis.
  const Matrix& coefficients() const { return c_; }
  /// What a step does: c <- A_bar c + B_bar f, [N, N] and [N, 1].
  const HippoPair& discrete() const { return discrete_; }

 private:
  HippoPair discrete_;
  Matrix c_, next_;  // [N, channels]
};

}  // namespace ssm
