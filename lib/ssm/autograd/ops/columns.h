// Part of a last axis.
#pragma once

#include <cstdint>

namespace ssm {

/// Columns first .. first + width - 1 of x [..., W].
struct Columns {
  int64_t first = 0, width = 0;
};

}  // namespace ssm
