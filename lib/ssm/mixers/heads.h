// Fields and checks of mixers that cut their channels into heads.
#pragma once

#include <string>

#include "ssm/config/fields.h"

namespace ssm {

inline constexpr int64_t kMaxHeads = 1 << 16;

/// The field "heads".
void VisitHeads(FieldVisitor& visitor, int64_t& heads);
/// The field "chunk".
void VisitChunk(FieldVisitor& visitor, int64_t& chunk);

/// "1, 2, 3 or 6": the numbers of heads that `channels` can be cut into, of an even number of
/// channels each if `even`.
std::string PossibleHeads(int64_t channels, bool even);

/// Whether d_model is a multiple of heads; else a fault that says which numbers divide it.
bool CheckHeads(int64_t d_model, int64_t heads, Faults& faults);

}  // namespace ssm
