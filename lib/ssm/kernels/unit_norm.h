// Keys and queries of unit length.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// The first groups * width columns of rows [n] are scaled group by group.
struct UnitNormShape {
  int64_t rows = 0, n = 0, groups = 0, width = 0;
  double eps = 1e-6;  // added to the squared length under the root
};

/// y = x / sqrt(|x|^2 + eps) over each of the first `groups` parts of `width` columns of every row;
/// the columns behind them pass as they are. No part is longer than 1; zeros stay zeros. In place
/// (y == x) is legal. `inverse` [rows, groups], the factors, is saved for the backward and may be
/// null.
template <class T>
void UnitNorm(const UnitNormShape& shape, const T* x, T* y, T* inverse);

/// Adds to gx.
template <class T>
void UnitNormBackward(const UnitNormShape& shape, const T* x, const T* inverse, const T* gy, T* gx);

}  // namespace ssm::kernels
