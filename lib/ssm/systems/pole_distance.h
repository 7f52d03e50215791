// How far two sets of poles are apart.
#pragma once

#include <complex>
#include <vector>

#include "ssm/systems/matrix.h"

namespace ssm {

/// The eigenvalues of A by falling modulus, conjugates next to each other, the upper one first.
std::vector<std::complex<double>> PolesOf(const Matrix& A);

struct PoleDistance {
  double mean = 0;  // of |a - b| over the pairs of the cheapest pairing, each pole in one pair
  double worst = 0;
};

/// Pairs the sets so that the sum of distances is least (the assignment problem, O(n^3)). Where
/// their sizes differ, each pole of the smaller set is paired and the rest of the other is left.
PoleDistance DistanceOfPoles(const std::vector<std::complex<double>>& first,
                             const std::vector<std::complex<double>>& second);

}  // namespace ssm
