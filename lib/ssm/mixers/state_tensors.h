// A state as the tensors of a file, and back.
#pragma once

#include <string>

#include "ssm/io/safetensors.h"
#include "ssm/mixers/state.h"

namespace ssm {

/// What the numbers of a slot's entries are called in a file: NAME.entries.
std::string EntriesName(const SlotSpec& spec);
/// Entries of a row that a file keeps, `steps` tokens into its sequence: the live ones of a growing
/// slot; of others at least so many, and all up to the last that is not 0, as where those of a
/// filling slot lie is its mixer's affair.
template <Scalar T>
int64_t KeptEntries(const Slot<T>& slot, int64_t row, int64_t steps);
/// A tensor of the slot's name: I8 where it has a byte a number, of T otherwise.
/// @throws Error(kDiverged) when a slot of a byte a number holds something else: NaN or infinity.
template <Scalar T>
void AddNumbers(const SlotSpec& spec, Array<T> values, TensorFile& file);

/// "steps" [B], and each slot by its name: a fixed one [B, entry...]; of others the entries of one
/// row after those of the row before [sum over rows, entry...], with their numbers NAME.entries
/// [B]. Entries that are dead are left out, so the bytes follow State::LiveBytes; slots of a byte a
/// number are I8.
/// @throws as AddNumbers.
template <Scalar T>
TensorFile StateTensors(const State<T>& state);
/// The state whose tensors these are, growing slots without spare room.
/// @throws Error(kBadData), naming `file`, when a tensor is missing, unknown, of another dtype, of
/// a shape that `layout` cannot have, or of bytes and holds -128.
template <Scalar T>
State<T> StateFromTensors(const TensorFile& tensors, const std::string& file,
                          std::span<const SlotSpec> layout);

}  // namespace ssm
