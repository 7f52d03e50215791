// Two arms in one cell: their shared units, the difference and what may be said of it.
#pragma once

#include <vector>

#include "ssm/experiment/arm_comparison.h"

namespace ssm {

/// All of ArmDifference but `first`, `second`, `fisher_p` and reversals. @throws as CompareArms.
ArmDifference DifferenceOf(const Arm& first_arm, const ArmScore& first, const Arm& second_arm,
                           const ArmScore& second);

/// Sets kReversed where two separated pairs of the same sides (a folder's runs of the same mixers)
/// stand under different budgets and point in opposite directions.
void MarkReversals(const std::vector<Arm>& arms, std::vector<ArmDifference>& pairs);

}  // namespace ssm
