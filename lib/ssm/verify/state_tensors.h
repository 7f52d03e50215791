// A state as the tensors of a file, and back.
#pragma once

#include "ssm/io/safetensors.h"
#include "ssm/mixers/state.h"

namespace ssm {

/// "steps" [B] and one tensor for each slot, by its name.
template <Scalar T>
TensorFile StateTensors(const State<T>& state);
/// @throws Error(kBadData) when a slot of `layout` is missing, of another dtype or of another shape
/// (spare capacity of growing slots aside).
template <Scalar T>
State<T> StateFromTensors(const TensorFile& file, std::span<const SlotSpec> layout);

}  // namespace ssm
