// Growth before decay: what eigenvalues alone do not show of a non-normal system.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/systems/linear_system.h"

namespace ssm {

struct TransientGrowth {
  std::vector<double> norms;     // |A^k|_2, or |e^{k dt A}|_2, for k = 0 .. steps
  std::vector<double> envelope;  // what the eigenvalues alone say: radius^k
  double radius = 0;             // the largest |eigenvalue| of A, or e^{dt abscissa}, per step
  double peak = 1;               // max of norms
  int64_t peak_step = 0;         // the first k that has it
  /// Whether no later power exceeds the peak either: one of them has norm <= 1, so that all that
  /// follow are products of powers seen.
  bool peak_is_final = false;
};

/// The worst-case growth of a state of length 1 with no input, k steps on. A normal A follows its
/// envelope exactly; the ratio norms / envelope is the part due to eigenvectors that are not
/// orthogonal. From where a norm exceeds double it is infinite. O(steps n^3).
/// @throws Error(kBadConfig) for a system with faults or steps < 0.
TransientGrowth TransientGrowthOf(const DiscreteSystem& system, int64_t steps);
/// Of e^{t A} at t = k dt, dt > 0. What happens between the samples is not seen.
/// @throws also Error(kBadConfig) for another dt.
TransientGrowth TransientGrowthOf(const ContinuousSystem& system, double dt, int64_t steps);

/// The largest eigenvalue of (A + A^T) / 2: d|e^{tA}|_2 / dt at t = 0. Positive for a stable A, it
/// says that some state grows at first (Trefethen and Embree 2005). A is square and finite; -inf
/// without states.
double NumericalAbscissa(const Matrix& A);

/// A lower bound on Kreiss' constant sup_{|z| > 1} (|z| - 1) |(z - A)^-1|_2 of a stable A, over a
/// grid of z around the eigenvalues' angles and all angles, and so a lower bound on max_k |A^k|_2,
/// which is at most e n times the constant (Kreiss 1962; Spijker 1991). O(n^3) a point.
double KreissLowerBound(const DiscreteSystem& system);

}  // namespace ssm
