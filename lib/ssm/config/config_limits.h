// Bounds on hostile input. Internal to this layer.
#pragma once

#include <cstdint>

namespace ssm {

constexpr int64_t kLargestConfig = int64_t{16} << 20;  // bytes of one file

}  // namespace ssm
