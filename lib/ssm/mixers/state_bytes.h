// What a state will hold, told from its layout alone.
#pragma once

#include <span>

#include "ssm/mixers/state.h"

namespace ssm {

/// Entries of a slot that `steps` tokens complete, without regard to its room.
int64_t EntriesAfter(const SlotSpec& slot, int64_t steps);

/// Live bytes of one row's state after `steps` tokens: what State::LiveBytes will measure.
double StateBytesAfter(std::span<const SlotSpec> slots, int64_t steps, int64_t scalar_bytes);

}  // namespace ssm
