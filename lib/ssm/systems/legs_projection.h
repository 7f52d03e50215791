// HiPPO-LegS online: a signal's whole history in Legendre polynomials, sample by sample.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ssm/systems/matrix.h"
#include "ssm/systems/step_rule.h"

namespace ssm {

/// Where the history begins, which is what 1 / t is at the first samples.
enum class LegsStart {
  /// c = 0, and sample t = 1, 2, ... takes the step with 1 / t (HiPPO's code). A constant signal is
  /// then remembered as one that began late: c_0 of ones is t / (t + 1) by the exact rule.
  kZero,
  /// The first sample sets c = (f_1, 0, ...), its own projection, and sample t >= 2 steps with 1 /
  /// (t - 1) (S4's code). A constant is a fixed point of every rule.
  kFirstSample,
};

/// c'(t) = (A c + B f) / t for a batch of channels, stepped by `rule` (Gu et al. 2020, theorem 2).
/// For any number of samples: nothing is tabled over time.
///
/// The exact rule goes from time t to t + 1 by e^(A log((t + 1) / t)); with kFirstSample it is the
/// projection of the signal whose samples are each held for one unit of time, but for nothing (all
/// degrees below N are closed). kForwardEuler is for study: its transient grows as 1e9 at N = 16
/// and 1e21 at N = 32, and it overflows for large N.
///
/// Cost of a step: O(N channels), by running sums over A's r_i r_j; the exact rule O(N^2 channels),
/// by quadrature, and O(N^2) memory.
class LegsProjection {
 public:
  /// 1 <= order <= 4096, channels >= 1. @throws Error(kBadConfig) for the order.
  LegsProjection(int64_t order, int64_t channels, StepRule rule,
                 LegsStart start = LegsStart::kZero);
  ~LegsProjection();
  LegsProjection(LegsProjection&&) noexcept;

  /// One sample of each channel, [channels].
  void Step(std::span<const double> sample);

  /// [N, channels], in the basis of HippoBasis for kLegS.
  const Matrix& coefficients() const { return c_; }
  int64_t samples() const { return samples_; }

  /// The length of the history in samples as the rule counts it: each sample after the first has
  /// weight 1 / history() in c_0. The middle of the sample d steps back lies at age (d + 1/2) /
  /// history(). After n samples from kZero: n (forward), n + 1/2 (bilinear), n + 1 (backward,
  /// exact); one less from kFirstSample.
  double history() const;

 private:
  struct ExactStep;

  void AddMultipleOfA(double h);
  void SolveIdentityMinusA(double h);
  void AddInput(double h, std::span<const double> sample);

  StepRule rule_;
  LegsStart start_;
  int64_t samples_ = 0;
  Matrix c_;                  // [N, channels]
  std::vector<double> root_;  // r_i [N]
  std::vector<double> sum_;   // of the states before, r_j c_j [channels]
  std::unique_ptr<ExactStep> exact_;
};

}  // namespace ssm
