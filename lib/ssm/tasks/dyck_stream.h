// One sequence of dyck, drawn step by step.
#pragma once

#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/dyck_law.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Brackets of kind i open as id i and close as id kinds + i. Every step that leaves a bracket open
/// is scored, its target the kind of the innermost one, its lag the steps since that was opened.
/// Strata as DyckStrata, references in the order of DyckReferences; latents are how many are open,
/// and the kind of the innermost, `kinds` if there is none. O(1) a step, memory O(depth).
std::unique_ptr<SequenceStream> MakeDyckStream(const DyckLaw& law, Random random);

/// The axis "open": how many brackets are, 1, 2, 3 and 4 or more; none where one is the most.
std::vector<StratumAxis> DyckStrata(int64_t depth);

}  // namespace ssm
