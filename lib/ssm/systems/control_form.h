// The time convention of control and identification, and the way there and back.
#pragma once

#include "ssm/systems/linear_system.h"

namespace ssm {

/// x_{k+1} = A x_k + B u_k, y_k = C x_k + D u_k: a step reads before it writes, so K_0 = D and
/// K_k = C A^(k-1) B. DiscreteSystem writes before it reads. Reading one as the other shifts every
/// output by a sample.
struct ControlSystem {
  Matrix A;  // [n, n]
  Matrix B;  // [n, m]
  Matrix C;  // [p, n]
  Matrix D;  // [p, m]

  int64_t states() const { return A.rows; }
  int64_t inputs() const { return B.cols; }
  int64_t outputs() const { return C.rows; }
};

/// As FaultsOf of a DiscreteSystem.
std::vector<std::string> FaultsOf(const ControlSystem& system);

/// The same outputs for the same inputs, with x_k = h_{k-1}: A, B, C A, D + C B. Always exact.
ControlSystem ToControl(const DiscreteSystem& system);

/// The same outputs for the same inputs, with h_k = x_{k+1}. y_k = C x_k has to be read from h_k
/// and the input, so C' A = C is needed, with D' = D - C' B. Where A has an inverse, C' = C A^-1.
/// What of C reads directions that A maps to 0 (a pure delay, say) is gone from h_k: it is kept in
/// extra states w_k = V^T x_k, as few as its rank. Directions that A shrinks by more than 1e-6 of
/// its norm are kept that way too: dividing by them would make C' and D' huge and cancel. The
/// result is exact for any cut; its poles are those of `system` and a 0 for each extra state.
DiscreteSystem FromControl(const ControlSystem& system);

}  // namespace ssm
