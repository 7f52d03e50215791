// Linear time-invariant systems with n states, m inputs and p outputs.
#pragma once

#include <string>
#include <vector>

#include "ssm/systems/matrix.h"

namespace ssm {

/// h'(t) = A h(t) + B x(t), y(t) = C h(t) + D x(t).
struct ContinuousSystem {
  Matrix A;  // [n, n], per unit of time
  Matrix B;  // [n, m]
  Matrix C;  // [p, n]
  Matrix D;  // [p, m]

  int64_t states() const { return A.rows; }
  int64_t inputs() const { return B.cols; }
  int64_t outputs() const { return C.rows; }
};

/// h_t = A h_{t-1} + B x_t, y_t = C h_t + D x_t: the time convention of sequence models, in which a
/// step writes before it is read. So K_0 = C B + D and K_k = C A^k B. (Control writes
/// h_{t+1} = A h_t + B x_t and has K_0 = D.)
struct DiscreteSystem {
  Matrix A;  // [n, n] A_bar
  Matrix B;  // [n, m] B_bar
  Matrix C;  // [p, n]
  Matrix D;  // [p, m]

  int64_t states() const { return A.rows; }
  int64_t inputs() const { return B.cols; }
  int64_t outputs() const { return C.rows; }
};

/// One sentence for each fault of the shapes or a number that is not finite; empty when there is
/// none: "B is 2 x 1, but A is 3 x 3; B needs 3 rows".
std::vector<std::string> FaultsOf(const ContinuousSystem& system);
std::vector<std::string> FaultsOf(const DiscreteSystem& system);

}  // namespace ssm
