// The state of a model in a file of its own: what apply writes and goes on from.
#pragma once

#include <string>

#include "ssm/mixers/state_tensors.h"

namespace ssm {

/// StateTensors as a safetensors file whose metadata name the model, so that no other goes on from
/// it.
template <Scalar T>
std::string StateFileBytes(const State<T>& state, const std::string& model);

/// @throws Error(kBadData) when it is no such file, of another model, or does not fit `layout`;
/// Error(kMissingInput).
template <Scalar T>
State<T> ReadStateFile(const std::string& path, const std::string& model,
                       std::span<const SlotSpec> layout);

}  // namespace ssm
