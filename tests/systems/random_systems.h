// Linear systems with known poles for tests.
#pragma once

#include <complex>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/systems/linear_system.h"

namespace ssm::testing {

/// Entries standard normal.
Matrix RandomMatrix(int64_t rows, int64_t cols, Random& random);

/// A real matrix with these eigenvalues, of which non-real ones stand once for a conjugate pair, in
/// coordinates turned by a random orthogonal matrix and made non-normal.
Matrix MatrixWithPoles(const std::vector<std::complex<double>>& poles, Random& random);

/// `pairs` complex pairs and `singles` real poles, all of moduli in [least, most].
std::vector<std::complex<double>> RandomPoles(int64_t pairs, int64_t singles, double least,
                                              double most, Random& random);

/// The same with the lower half of every pair written out.
std::vector<std::complex<double>> WithConjugates(const std::vector<std::complex<double>>& poles);

}  // namespace ssm::testing
