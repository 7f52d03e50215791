// The refusal of what the machine has not.
#pragma once

#include <cstdint>
#include <string>

#include "ssm/experiment/plan.h"

namespace ssm {

/// @throws Error(kRefused) with both numbers and what to lower when memory (also `max_memory`
/// bytes, where not 0), or the disk under `folder` (its nearest existing parent), does not suffice.
void RefuseWhatDoesNotFit(const TrainPlan& plan, const std::string& folder, int64_t max_memory = 0);

}  // namespace ssm
