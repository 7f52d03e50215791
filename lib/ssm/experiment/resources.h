// What the machine has left, and the refusal of what it has not.
#pragma once

#include <cstdint>
#include <string>

#include "ssm/experiment/plan.h"

namespace ssm {

/// Bytes this process may still take: the least of free memory, the control group's and the
/// address-space limit's rest.
int64_t AvailableMemory();
/// @throws Error(kRefused) with both numbers and what to lower when memory, or the disk under
/// `folder` (its nearest existing parent), does not suffice.
void RefuseWhatDoesNotFit(const TrainPlan& plan, const std::string& folder);

}  // namespace ssm
