#include "ssm/kernels/dense_inverse.h"

#include <algorithm>
#include <cmath>

#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

void SwapRows(int64_t n, double* matrix, int64_t i, int64_t j) {
  if (i != j) std::swap_ranges(matrix + i * n, matrix + (i + 1) * n, matrix + j * n);
}

int64_t PivotOf(int64_t n, const double* a, int64_t column) {
  int64_t pivot = column;
  for (int64_t i = column + 1; i < n; ++i) {
    if (std::fabs(a[i * n + column]) > std::fabs(a[pivot * n + column])) pivot = i;
  }
  return pivot;
}

}  // namespace

void Invert(int64_t n, double* a, double* inverse) {
  std::fill_n(inverse, n * n, 0.0);
  for (int64_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t pivot = PivotOf(n, a, k);
    SwapRows(n, a, k, pivot);
    SwapRows(n, inverse, k, pivot);
    const double scale = 1 / a[k * n + k];
    for (int64_t j = k; j < n; ++j) a[k * n + j] *= scale;
    for (int64_t j = 0; j < n; ++j) inverse[k * n + j] *= scale;
    for (int64_t i = 0; i < n; ++i) {
      const double factor = a[i * n + k];
      if (i == k || factor == 0) continue;
      Axpy(n - k, -factor, a + k * n + k, a + i * n + k);
      Axpy(n, -factor, inverse + k * n, inverse + i * n);
    }
  }
}

}  // namespace ssm::kernels
