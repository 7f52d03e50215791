// Two linear systems side by side, whatever their coordinates.
#pragma once

#include <vector>

#include "ssm/systems/control_form.h"
#include "ssm/systems/linear_system.h"
#include "ssm/systems/pole_distance.h"

namespace ssm {

/// K_0 ... K_{count-1}, each [p, m]: the response to an impulse at step 0.
std::vector<Matrix> MarkovParameters(const ControlSystem& system, int64_t count);
std::vector<Matrix> MarkovParameters(const DiscreteSystem& system, int64_t count);

/// Differences that no change of state coordinates alters. The state matrices of two equal systems
/// may have nothing in common, so they are never compared.
struct SystemComparison {
  double markov = 0;     // largest |K_k - K'_k|_F over the first `markov_count`, by largest |K_k|_F
  double frequency = 0;  // largest gain of G - G' over 0..pi, by the largest gain of G
  PoleDistance poles;    // see DistanceOfPoles; orders may differ
};

/// By the first system's sizes; a first system that is 0 gives differences as they are. Cost
/// O(n^3 + markov_count n^2 m + frequencies n^2 m).
/// @throws Error(kInternal) where inputs or outputs differ in number.
SystemComparison Compare(const ControlSystem& first, const ControlSystem& second,
                         int64_t markov_count = 100, int64_t frequencies = 512);
SystemComparison Compare(const DiscreteSystem& first, const DiscreteSystem& second,
                         int64_t markov_count = 100, int64_t frequencies = 512);

}  // namespace ssm
