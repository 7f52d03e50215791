// How a sequence of evidence.switch is made, and what follows from that alone.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/tasks/task.h"

namespace ssm {

/// Sequences of one length at one sampling rate, all lengths in steps of that rate.
struct SwitchLaw {
  int64_t steps = 0;
  int64_t burn = 0;        // steps before the first one scored
  double hazard = 0.01;    // of a gap of one trained step
  double gap = 1;          // mean time between samples, in trained steps
  bool irregular = false;  // gaps exponential; else all are `gap`
  double drift = 0.5, sigma = 1, miss = 0;
  std::vector<double> leak_taus;  // of the leaky integrators, in samples

  double Leak(size_t i) const;
  /// Mean over gaps of the probability that the side differs at the next sample.
  double MeanHazard() const;
  /// Weight of a leaky integrator's v in its log-odds, those of the normal law with the mean and
  /// variance that v = sum_k leak^k x_{t-k} has beside s_t = +1 in the steady state.
  double LeakyWeight(double leak) const;
};

/// Time constant, in samples, of the leaky integrator with the least mean square error for the side
/// (a missing sample counts as 0): the decay of the Kalman filter of a process of the same
/// covariance (Wiener 1949).
double BestLinearTau(const SwitchLaw& law);

/// Names and roles, in the order in which streams write them: the exact log-odds, the newest sample
/// alone, leaky integrators named after `named_taus`, chance.
std::vector<Reference> SwitchReferences(const std::vector<double>& named_taus);

/// Steady-state accuracies that follow from the law alone. Those of the exact filter are left out
/// with irregular gaps, and all that SteadyAccuracy finds too large.
std::vector<KnownValue> SwitchKnown(const SwitchLaw& law, const std::vector<double>& named_taus);

}  // namespace ssm
