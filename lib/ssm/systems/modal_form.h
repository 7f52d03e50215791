// Dense systems as diagonal ones, and back.
#pragma once

#include "ssm/systems/linear_system.h"
#include "ssm/systems/modal_system.h"

namespace ssm {

/// Above this condition of the eigenvectors a kernel would lose more than 1e-10 of its size.
inline constexpr double kMostModalCondition = 1e5;

template <class System>
struct ModalForm {
  System system;
  double condition = 1;  // |V|_2 |V^-1|_2 of the eigenvectors, each of length 1
};

/// A = V diag(poles) V^-1, B <- V^-1 B, C <- C V, one mode for each real eigenvalue and for each
/// conjugate pair (the one above the real axis). The kernel is unchanged, to some n eps condition.
/// Symmetric A has condition 1. O(n^3).
/// @throws Error(kBadConfig) for a system with faults, and for an A that is defective or so close
/// to it that the condition exceeds kMostModalCondition, telling it.
ModalForm<ContinuousModalSystem> ModalFormOf(const ContinuousSystem& system);
ModalForm<DiscreteModalSystem> ModalFormOf(const DiscreteSystem& system);

/// A real system with the same kernel: a pair with pole a + i b becomes the block [[a, -b], [b, a]]
/// of its real and imaginary part. Exact. @throws Error(kBadConfig) for a system with faults.
ContinuousSystem DenseFormOf(const ContinuousModalSystem& system);
DiscreteSystem DenseFormOf(const DiscreteModalSystem& system);

}  // namespace ssm
