// Gramians of stable linear systems and what follows from them.
#pragma once

#include <vector>

#include "ssm/systems/linear_system.h"

namespace ssm {

/// Controllability Gramian. Discrete: sum_k A^k B B^T A^kT, the covariance of h_t under white input
/// of unit variance. Continuous: the integral of e^(At) B B^T e^(A^T t). [n, n].
/// All of these factor the Gramian without forming it (Hammarling 1982): O(n^3).
/// @throws Error(kBadData) naming a pole that is not stable.
Matrix ControllabilityGramian(const DiscreteSystem& system);
Matrix ControllabilityGramian(const ContinuousSystem& system);

/// Descending roots of the controllability Gramian's eigenvalues, n of them: the standard deviation
/// of the state along its principal directions. Not squared, so finite and above 0 for a B of any
/// scale.
std::vector<double> StateSpread(const DiscreteSystem& system);

/// Observability Gramian: h^T W h is the energy of the outputs from state h on with no input after.
/// Discrete: sum_k A^kT C^T C A^k, y_t = C h_t counted. Continuous: the integral of
/// e^(A^T t) C^T C e^(At).
Matrix ObservabilityGramian(const DiscreteSystem& system);
Matrix ObservabilityGramian(const ContinuousSystem& system);

/// Descending square roots of the eigenvalues of the product of both, n of them, free of the
/// coordinates: how much of the inputs' past, each direction of state carries into the outputs.
/// Discrete: the singular values of the Hankel matrix of C A^(i+j) B, that is of inputs up to and
/// with x_t against outputs from y_t on, D left out. (Control's convention holds x_t back, and its
/// values are those of C A: take ToControl first for them.) Values down to rounding of the largest
/// are right, not only down to the root of it.
std::vector<double> HankelSingularValues(const DiscreteSystem& system);
std::vector<double> HankelSingularValues(const ContinuousSystem& system);

/// Root of the energy of the impulse response: sqrt(sum_k |K_k|_F^2) with K_0 = C B + D; continuous
/// sqrt of the integral of |C e^(At) B|_F^2, infinite where D is not 0.
double H2Norm(const DiscreteSystem& system);
double H2Norm(const ContinuousSystem& system);

}  // namespace ssm
