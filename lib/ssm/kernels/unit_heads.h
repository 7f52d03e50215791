// Heads of unit length, as queries and keys are before a cosine attention.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Rows of `width` columns whose first `heads` groups of d_head are made unit vectors; `scaled` of
/// them, the first, are then multiplied by a number of their own.
struct UnitHeadsShape {
  int64_t rows = 0, width = 0, heads = 0, d_head = 0, scaled = 0;
};

/// Under the root beside the sum of squares.
inline constexpr double kUnitEps = 1e-6;

/// y = x / sqrt(sum x^2 + 1e-6) scale in each group, the other columns as they are. scale [scaled].
/// In place is legal. Cost 4 FLOPs a column.
template <class T>
void UnitHeads(const UnitHeadsShape& shape, const T* x, const T* scale, T* y);

/// Adds into gx (not gy itself) and g_scale; each may be null.
template <class T>
void UnitHeadsBackward(const UnitHeadsShape& shape, const T* x, const T* scale, const T* gy, T* gx,
                       T* g_scale);

}  // namespace ssm::kernels
