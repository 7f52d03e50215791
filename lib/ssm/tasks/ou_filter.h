// The Ornstein-Uhlenbeck process seen through noise: its exact estimator and cheap ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ssm {

/// z_t = decay z_{t-1} + sqrt(1 - decay^2) eta_t, stationary with variance 1; a sample
/// x_t = z_t + noise eps_t is shown with probability 1 - miss.
struct OuLaw {
  double decay = 0;
  double noise = 1;
  double miss = 0;
};

/// Steady-state variance of z_t given all samples up to t, none missing: the positive root of the
/// scalar Riccati equation (Kalman 1960).
double FilterVariance(double decay, double noise);

/// E[z_{t-lag} | x up to t], step by step; O(lag) a step.
class FixedLagSmoother {
 public:
  FixedLagSmoother(const OuLaw& law, int64_t lag);
  void Step(bool seen, double x);
  /// E[z_t | ...] and its variance.
  double mean() const { return mean_[newest_]; }
  double variance() const { return covariance_[newest_]; }
  /// E[z_{t-lag} | ...]; before step `lag` that of the first z.
  double lagged_mean() const { return mean_[oldest_]; }

 private:
  double decay_, drive_, noise_variance_;
  std::vector<double> mean_, covariance_;  // of z_{t-j} with z_t, a ring over j in [0, lag]
  size_t newest_ = 0, oldest_ = 0, filled_ = 0;
};

/// v_t = leak v_{t-1} + (1 - leak) x_t (0 where missing): the best multiple of v_t for z_{t-lag} in
/// the steady state, and the exact mean square error of that over steps [begin, end) of a sequence
/// that starts with v = 0; lag <= begin < end. O(end + lag).
double LeakyGain(const OuLaw& law, double leak, int64_t lag);
double LeakyError(const OuLaw& law, double leak, int64_t lag, int64_t begin, int64_t end);

/// Mean square error of decay^lag x_t / (1 + noise^2), 0 where missing: the best use of one sample.
double StaticError(const OuLaw& law, int64_t lag);
/// The same of the last sample shown, weighed by its age, in the steady state.
double LastObservedError(const OuLaw& law, int64_t lag);

}  // namespace ssm
