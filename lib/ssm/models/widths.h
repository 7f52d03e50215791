// What model.d_model may be.
#pragma once

#include <cstdint>

namespace ssm {

inline constexpr int64_t kMostChannels = 1 << 16;
/// Of a model whose width is still to be solved: ModelOptions::Check says nothing of it.
inline constexpr int64_t kOpenWidth = 0;

}  // namespace ssm
