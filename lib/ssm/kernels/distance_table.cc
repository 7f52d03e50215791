#include "ssm/kernels/distance_table.h"

#include <algorithm>
#include <cmath>

#include "ssm/kernels/elementary.h"
#include "ssm/kernels/sine_cosine.h"

namespace ssm::kernels {

template <class T>
void DistanceTable(int64_t distances, int64_t width, int64_t clamp, T* table) {
  const int64_t sines = (width + 1) / 2, cosines = width / 2;
  const double rate = -2 * std::log(10000.0) / static_cast<double>(width);
  for (int64_t d = 0; d < distances; ++d, table += width) {
    const double distance = static_cast<double>(clamp > 0 ? std::min(d, clamp) : d);
#pragma omp simd
    for (int64_t i = 0; i < sines; ++i) {
      table[i] = static_cast<T>(SinCos(distance * Exp(rate * static_cast<double>(i))).sine);
    }
#pragma omp simd
    for (int64_t i = 0; i < cosines; ++i) {
      table[sines + i] =
          static_cast<T>(SinCos(distance * Exp(rate * static_cast<double>(i))).cosine);
    }
  }
}

template void DistanceTable(int64_t, int64_t, int64_t, float*);
template void DistanceTable(int64_t, int64_t, int64_t, double*);

}  // namespace ssm::kernels
