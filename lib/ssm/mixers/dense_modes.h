// The modes of dense systems.
#pragma once

#include <vector>

#include "ssm/mixers/linear_mode.h"
#include "ssm/systems/linear_system.h"
#include "ssm/systems/step_rule.h"

namespace ssm {

/// The eigenvalues of A, one of each pair, by rising frequency and, of real ones, falling
/// half-life, discretised by `rule` over `dt`.
/// `write` is the norm of the row of V^-1 B_bar, V the eigenvectors of length 1; infinite where
/// their condition exceeds kMostModalCondition. None where A or B are not finite.
std::vector<LinearMode> DenseModesOf(const ContinuousSystem& system, double dt, StepRule rule);

/// The same of a system that steps by itself: dt is 1, and poles are logarithms of multipliers.
std::vector<LinearMode> DenseModesOf(const DiscreteSystem& system);

}  // namespace ssm
