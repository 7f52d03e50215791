// One sequence of relocate.tokens, drawn step by step.
#pragma once

#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/relocate_code.h"
#include "ssm/tasks/relocate_law.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// How events are shown, and over how many steps.
struct RelocateShow {
  RelocateEncoding encoding = RelocateEncoding::kPacked;
  int64_t steps = 0;   // blank after the last whole slot
  int64_t window = 0;  // steps
};

/// Names and labels of the strata, in the order in which streams write them: hidden moves, bind
/// order, containment, octave of the steps since the object last moved, and, where questions are
/// mixed, their kind.
std::vector<StratumAxis> RelocateStrata(const RelocateLaw& law);

/// Tokens as RelocateCode, references as RelocateReferences, strata as RelocateStrata; lags: steps
/// since the object asked about was last seen; latents: the place of every object, the one asked
/// about named. O(1) a step; a question O(objects) if balanced; latents O(objects), 0 for an object
/// that was not shown yet.
std::unique_ptr<SequenceStream> MakeRelocateStream(const RelocateLaw& law, const RelocateShow& show,
                                                   Random random);

}  // namespace ssm
