// Deliberate faults: each must be caught by exactly the laws it breaks.
#pragma once

#include <string_view>
#include <vector>

#include "ssm/mixers/mixer_options.h"

namespace ssm {

enum class Fault {
  kFuturePeek,       // y_t also reads x_{t+1}
  kHiddenMember,     // the stepper trusts a copy of the state it keeps for itself
  kDroppedGradient,  // half of the gradient to x is lost
  kForgottenTail,    // Forward starts every piece as if nothing had come before
};

/// "future_peek", "hidden_member", "dropped_gradient", "forgotten_tail".
std::string_view FaultName(Fault fault);
const std::vector<Fault>& AllFaults();
/// @throws Error(kUsage) naming the nearest when there is none of that name.
Fault FaultFromName(std::string_view name);

/// The same types with the same options, every mixer they build broken. Read an experiment against
/// it and everything the experiment builds is broken. `registry` is copied.
MixerRegistry BreakMixers(const MixerRegistry& registry, Fault fault);

}  // namespace ssm
