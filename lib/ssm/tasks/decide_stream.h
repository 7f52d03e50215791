// One trial of evidence.decide, drawn step by step.
#pragma once

#include <memory>

#include "ssm/base/random.h"
#include "ssm/tasks/decide_law.h"

namespace ssm {

/// Input channels: sample, [seen,] go. References as DecideReferences. Latents: exact log-odds,
/// side. O(1) a step; latents under d' with missing samples O(sqrt(steps left)).
std::unique_ptr<SequenceStream> MakeDecideStream(DecideLaw law, Random random);

}  // namespace ssm
