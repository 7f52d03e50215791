// Sinusoids of distances, as Transformer-XL's relative positions have them.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// table [distances, width]: row d holds sin(c w_i) of the first ceil(width / 2) frequencies, then
/// cos(c w_i) of the first floor(width / 2), with w_i = 10000^(-2 i / width) and c = min(d, clamp)
/// (clamp 0: d). Angles in double. (Dai et al. 2019.)
template <class T>
void DistanceTable(int64_t distances, int64_t width, int64_t clamp, T* table);

}  // namespace ssm::kernels
