// How much of a signal's past a HiPPO state gives back, read out in closed form, without training.
#pragma once

#include <string>
#include <vector>

#include "ssm/systems/hippo_matrices.h"
#include "ssm/systems/legs_projection.h"
#include "ssm/systems/step_rule.h"

namespace ssm {

/// One memory on band-limited noise. A state of N numbers can hold some N / 2 cycles of a window,
/// and polynomials need pi numbers a cycle, so N = 4 `cycles` succeeds where N = 2 `cycles` fails
/// (Voelker et al. 2019; Gu et al. 2020, section 4).
struct MemoryExperiment {
  HippoOptions memory;  // LegS, or one with a window: kLegT, kLegTHalved, kLmu, kFouT
  StepRule rule = StepRule::kBilinear;
  LegsStart start = LegsStart::kZero;  // LegS alone
  int64_t window = 1000;               // samples: of the window, or of LegS's whole history
  double cycles = 8;                   // highest frequency of the noise, in cycles a window
  int64_t signals = 16;                // independent ones, all in one pass; averages over them
  /// Where within its step a sample is read, in samples: 1/2 is its middle, 0 its newer end. 0 is
  /// off by half a sample, which costs an NRMSE of pi cycles / (sqrt(3) window).
  double read_offset = 0.5;
  uint64_t seed = 1;
};

struct MemoryResult {
  /// Root of the mean squared error over all ages, readouts and signals, over the root mean square
  /// of the signal. 1 is knowing nothing; its square is the relative mean squared error. Infinite
  /// or NaN where the state overflowed.
  double nrmse = 0;
  double fit_nrmse = 0;  // of FitProjection on the same samples and ages: the least there is
  double largest_c = 0;  // the largest |c_i| met at any step
  int64_t readouts = 0;  // times at which the whole past was read
};

/// One sentence for each fault; empty when there is none.
std::vector<std::string> FaultsOf(const MemoryExperiment& experiment);

/// LegS sees one window and is read at its end. Sliding windows see eight and are read from the end
/// of the third on, every half a window. The noise repeats after eight windows.
///
/// Time O(window N signals) for LegS, O(window N^2 signals) by its exact rule and for windows;
/// O(window N^2) for the fit; memory O(window signals + N^2).
///
/// @throws Error(kBadConfig) with all of FaultsOf.
MemoryResult RunMemoryExperiment(const MemoryExperiment& experiment);

}  // namespace ssm
