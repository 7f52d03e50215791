// How often the most frequent of equally likely classes is expected to turn up.
#pragma once

#include <cstdint>

namespace ssm {

/// E[max_c n_c] of a multinomial of `draws` over `classes` equally likely classes, exact: the sum
/// over m of P(max > m), where P(max <= m) is the part of a power of a truncated Poisson law that
/// adds up to `draws` (Levin 1981). Every term is positive, so no digits cancel.
/// Cost O(draws^2 log classes) for each of some 10 sqrt(draws / classes) + 10 values of m; memory
/// O(draws).
double ExpectedLargestCount(int64_t draws, int64_t classes);

}  // namespace ssm
