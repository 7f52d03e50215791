// The stationary Kalman filter of a linear system with noise.
#pragma once

#include "ssm/systems/matrix.h"

namespace ssm {

struct StationaryFilter {
  Matrix P;           // [n, n] covariance of the error of predicting x_k from y_0 ... y_{k-1}
  Matrix K;           // [n, p] gain: x_{k+1} = A x_k + B u_k + K e_k, e_k = y_k - C x_k - D u_k
  Matrix innovation;  // [p, p] covariance of e_k
};

/// For x_{k+1} = A x_k + w_k, y_k = C x_k + v_k with white w, v of covariances Q [n, n], R [p, p]
/// (positive definite) and cross-covariance S = E w v^T [n, p]:
/// P = A P A^T + Q - K (C P C^T + R) K^T, K = (A P C^T + S)(C P C^T + R)^-1, A - K C stable.
/// By structured doubling (Chu, Fan, Lin and Wang 2004): quadratic convergence, O(n^3) a step.
/// @throws Error(kBadData) where R is not positive definite or no stable filter is found: a mode on
///         or outside the unit circle that y does not show, or one on it that w does not move.
StationaryFilter SolveFilterRiccati(const Matrix& A, const Matrix& C, const Matrix& Q,
                                    const Matrix& R, const Matrix& S);

}  // namespace ssm
