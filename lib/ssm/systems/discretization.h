// Continuous systems made discrete: dense ones and diagonal ones.
#pragma once

#include "ssm/systems/linear_system.h"
#include "ssm/systems/modal_system.h"
#include "ssm/systems/step_rule.h"

namespace ssm {

/// The system that steps by `rule` over `dt` > 0, in the unit of time of A. Its input x_t is that
/// over ((t-1) dt, t dt]; with kZoh it is held there, and h_t is exact at t dt. C and D stay.
///
/// kZoh by the exponential of the block matrix [[A, B], [0, 0]] dt: no inverse of A, so singular A
/// is as good as any; steps may be tiny or huge and A stiff (see Exponential). O((n + m)^3 log).
/// @throws Error(kBadConfig), all faults at once: of the system (FaultsOf) and of dt; where I - dt
/// A or I - dt/2 A is singular to working precision; where A_bar or B_bar is beyond double.
DiscreteSystem Discretize(const ContinuousSystem& system, double dt, StepRule rule);

/// The same mode by mode: MapPole and InputWeight. O(modes (m + p)).
DiscreteModalSystem Discretize(const ContinuousModalSystem& system, double dt, StepRule rule);

}  // namespace ssm
