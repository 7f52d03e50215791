// Gauss-Legendre quadrature.
#pragma once

#include <cstdint>
#include <vector>

namespace ssm {

/// Nodes ascending in (0, 1) and positive weights that sum to 1: sum_k weights[k] p(nodes[k]) is
/// the integral of p over [0, 1] for every polynomial of degree below 2n.
struct Quadrature {
  std::vector<double> nodes, weights;  // [n]
};

/// n >= 1. Newton's steps on the Legendre polynomial from Chebyshev's guesses, O(n^2); nodes are
/// good to some 1e-16, weights to 1e-14 of their size.
Quadrature GaussLegendre(int64_t n);

}  // namespace ssm
