// A stream's state as a list of numbers, for read-outs.
#pragma once

#include <span>
#include <vector>

#include "ssm/mixers/state.h"

namespace ssm {

/// How many numbers AppendFeatures gives a row of a state with these slots.
int64_t FeatureCount(std::span<const SlotSpec> slots);

/// Row b, slot after slot, those that carry no gradient (positions, counts) left out. A ring, a
/// filling and a growing slot give their newest entries first, as many as they can hold, of a
/// growing one the newest 64, and 0 where there is none yet.
template <Scalar T>
void AppendFeatures(const State<T>& state, int64_t b, std::vector<double>& features);

}  // namespace ssm
