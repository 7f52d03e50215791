// What operations over the last axis ask of a shape.
#pragma once

#include <algorithm>
#include <array>

#include "ssm/tensor/shape.h"

namespace ssm {

/// The product of all axes but the last. Rank >= 1.
inline int64_t RowCount(const Shape& shape) {
  int64_t rows = 1;
  for (int i = 0; i + 1 < shape.rank(); ++i) rows *= shape[i];
  return rows;
}

/// `shape` with another last axis. Rank >= 1.
inline Shape WithLast(const Shape& shape, int64_t last) {
  std::array<int64_t, Shape::kMaxRank> axes{};
  std::copy(shape.begin(), shape.end(), axes.begin());
  axes[static_cast<size_t>(shape.rank() - 1)] = last;
  return Shape(axes.data(), shape.rank());
}

}  // namespace ssm
