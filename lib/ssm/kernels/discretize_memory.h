// A dense system of one input over one step, and how the step changes with its length.
#pragma once

#include <cstdint>

#include "ssm/kernels/discretize.h"
#include "ssm/kernels/discretize_dense.h"

namespace ssm::kernels {

/// h' = A h + B u: a [N, N] by rows, b [N].
struct MemorySystem {
  int64_t order = 0;
  const double* a = nullptr;
  const double* b = nullptr;
};

constexpr DenseRule DenseRuleOf(DiscretizationRule rule) {
  return rule == DiscretizationRule::kZoh ? DenseRule::kZoh : DenseRule::kBilinear;
}

/// Doubles of scratch that either function below needs.
int64_t DiscretizeMemoryScratch(int64_t order);

/// A_bar - 1 [N, N] and B_bar [N] of a step of `dt` > 0, by DiscretizeDense.
void DiscretizeMemory(DiscretizationRule rule, double dt, const MemorySystem& system,
                      double* a_minus_1, double* b_bar, double* scratch);

/// The derivatives by dt of what DiscretizeMemory gave: A W and W B with W = A_bar (kZoh) or M^2,
/// M = (I - dt/2 A)^-1 = (A_bar + 1) / 2 (kBilinear). Cost 2 N^3 or 4 N^3 FLOPs.
void DiscretizeMemorySlope(DiscretizationRule rule, const MemorySystem& system,
                           const double* a_minus_1, double* slope_a, double* slope_b,
                           double* scratch);

}  // namespace ssm::kernels
