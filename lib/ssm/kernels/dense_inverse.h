// The inverse of a dense matrix, without memory of its own.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// inverse [n, n] = a^-1 by elimination with the largest pivot of each column; `a` is used up.
/// Entries are infinite or NaN where a is singular. Cost 2 n^3 FLOPs.
void Invert(int64_t n, double* a, double* inverse);

}  // namespace ssm::kernels
