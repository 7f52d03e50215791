// What evidence.decide measures beyond accuracy: calibration, and which samples decided.
#pragma once

#include <unordered_map>
#include <vector>

#include "ssm/tasks/scorer.h"

namespace ssm {

/// The generic tallies and, for the model, three more over labelled steps:
///   "logit_gap"      mean |logit - exact log-odds|
///   "posterior_gap"  mean |p - exact posterior|
///   "ece"            expected calibration error in 15 equal bins of p (Guo et al. 2017): each
///                    sequence counts with the sign of its bin's gap, so the ratio of sums is the
///                    error itself; its interval takes those signs as given
class CalibrationScorer : public ObjectiveScorer {
 public:
  /// Reference 0 must be the exact log-odds.
  explicit CalibrationScorer(const TaskSpec& spec) : ObjectiveScorer(spec), spec_(spec) {}
  void Add(int64_t first, const TaskPiece& piece, const double* y) override;
  Score Finish() override;

 private:
  struct Answer {
    int64_t sequence;
    double p, label, weight;
  };
  SequenceSums ExpectedCalibrationError() const;

  TaskSpec spec_;
  std::vector<Answer> answers_;
  SequenceSums logit_gap_, posterior_gap_;
};

/// The generic tallies over zero-drift trials and the psychophysical kernel (reverse correlation,
/// Ahumada 1971; as used for accumulation of evidence by Kiani et al. 2008): the mean noise of a
/// step on trials answered + minus that on trials answered -, in units of sigma, averaged over at
/// most 16 bins of stimulus steps. Curves "psychophysical_kernel" (the model) and
/// "psychophysical_kernel exact" (the exact integrator on the same trials); x: the middle of a bin
/// in steps from 0. A logit of 0 is no answer. Memory: 32 doubles a trial.
class KernelScorer : public ObjectiveScorer {
 public:
  static constexpr int64_t kBins = 16;
  /// `sigma` of a sample. Channel 0 must be the sample, reference 0 the exact log-odds; where
  /// samples can be missing, channel 1 says which were seen.
  KernelScorer(const TaskSpec& spec, double sigma, bool can_miss)
      : ObjectiveScorer(spec), spec_(spec), sigma_(sigma), can_miss_(can_miss) {}
  void Add(int64_t first, const TaskPiece& piece, const double* y) override;
  Score Finish() override;

 private:
  struct Trial {
    double model = 0, exact = 0;  // the answers
    std::vector<double> noise, seen;
  };
  void EndTrial(int64_t sequence, int64_t stimulus, double model, double exact);
  Curve Kernel(const std::string& name, double Trial::*answer) const;

  TaskSpec spec_;
  double sigma_;
  bool can_miss_;
  std::unordered_map<int64_t, std::vector<double>> open_;  // noise of unfinished trials; NaN unseen
  std::vector<Trial> trials_;                              // by sequence
  int64_t stimulus_ = 0;
};

/// Largest over smallest value of a kernel: 1 is a perfect integrator. NaN for no values, infinite
/// where the smallest is not positive.
double MaxOverMin(const Curve& kernel);

}  // namespace ssm
