// The verdict on a discretised system in the numbers that hold it.
#pragma once

#include "ssm/systems/stability.h"

namespace ssm {

/// Of `discrete` = Discretize(system, dt, rule), whose A has spectral radius `radius`: what the
/// mapped poles say, but marginal where those decay so little a step that A_bar's eigenvalues are
/// not below 1 to the rounding of its entries, so that it has no Gramian.
StabilityReport SteppedStability(const ContinuousSystem& system, double dt, StepRule rule,
                                 double radius);

/// `stability` made marginal for that reason; `step` names the system: "zoh, dt = 0.1".
StabilityReport MarginalByRounding(StabilityReport stability, const std::string& step,
                                   double radius);

}  // namespace ssm
