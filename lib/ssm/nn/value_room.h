// The refusal of models whose values do not fit.
#pragma once

#include <cstdint>

namespace ssm {

/// Memory is promised long before it is there: asks before it is touched.
/// @throws Error(kRefused) with both numbers when that many initial values do not fit into it.
void RequireRoomForValues(int64_t numbers);

}  // namespace ssm
