#include "ssm/kernels/discretize_memory.h"

#include <algorithm>

#include "ssm/kernels/gemm.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {

int64_t DiscretizeMemoryScratch(int64_t order) {
  return std::max(DiscretizeDenseScratch({order, 1}), 2 * order * order);
}

void DiscretizeMemory(DiscretizationRule rule, double dt, const MemorySystem& system,
                      double* a_minus_1, double* b_bar, double* scratch) {
  DiscretizeDense({system.order, 1}, DenseRuleOf(rule), dt, system.a, system.b, a_minus_1, b_bar,
                  scratch);
}

void DiscretizeMemorySlope(DiscretizationRule rule, const MemorySystem& system,
                           const double* a_minus_1, double* slope_a, double* slope_b,
                           double* scratch) {
  const int64_t n = system.order;
  const bool bilinear = rule == DiscretizationRule::kBilinear;
  double *w = scratch, *half = scratch + n * n;  // W - 1
  std::copy_n(a_minus_1, n * n, w);
  if (bilinear) {
    // M = 1 + E / 2, so M^2 - 1 = E + E^2 / 4.
    for (int64_t i = 0; i < n * n; ++i) half[i] = 0.5 * a_minus_1[i];
    Gemm(n, n, n, half, half, w, Write::kAdd);
  }
  std::copy_n(system.a, n * n, slope_a);
  Gemm(n, n, n, system.a, w, slope_a, Write::kAdd);
  for (int64_t i = 0; i < n; ++i) slope_b[i] = system.b[i] + Dot(n, w + i * n, system.b);
}

}  // namespace ssm::kernels
