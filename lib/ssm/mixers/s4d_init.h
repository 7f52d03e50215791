// Where S4D's poles and outputs start.
#pragma once

#include "ssm/mixers/s4d.h"
#include "ssm/nn/init.h"

namespace ssm {

/// log(-Re A) [H, N], the same in every channel: log 1/2, or log(n+1) for S4dInit::kReal.
Init PoleDecayInit(const S4dOptions& options);
/// Im A [H, N] of a complex init, the same in every channel but for kRand; see S4dInit.
Init PoleFrequencyInit(const S4dOptions& options);

}  // namespace ssm
