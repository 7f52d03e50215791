// The modes of a HiPPO pair.
#pragma once

#include <vector>

#include "ssm/mixers/linear_mode.h"
#include "ssm/systems/hippo_matrices.h"
#include "ssm/systems/step_rule.h"

namespace ssm {

/// The eigenvalues of A by growing imaginary part as modes of channel -1, stepped by `rule` over
/// dt; `write` is what an input of 1 adds to the coordinate of a mode whose eigenvector has length
/// 1. FouT's state that is always 0 has none. Empty where A is so far from normal that its modes
/// are no account of its memory (kMostModalCondition): LegT and LMU above some ten states, LagT,
/// which is one Jordan block. O(N^3). @throws as MakeHippo does.
std::vector<LinearMode> HippoModes(const HippoOptions& options, StepRule rule, double dt);

}  // namespace ssm
