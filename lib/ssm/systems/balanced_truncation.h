// Smaller systems with nearly the same response, by balanced truncation.
#pragma once

#include <vector>

#include "ssm/systems/linear_system.h"

namespace ssm {

template <class System>
struct Truncation {
  System system;               // of the order asked for
  std::vector<double> hankel;  // all n Hankel singular values of the whole system, descending
  double error_bound = 0;      // 2 sum of those left out; see TruncateBalanced
};

/// The `order` states that carry most of the past into the outputs (Moore 1981), by the square-root
/// method (Tombs and Postlethwaite 1987): neither Gramian is formed or inverted. At every frequency
/// the largest singular value of the difference of the two responses is at most `error_bound`
/// (Glover 1984; Al-Saggaf and Franklin 1987). D is kept. The smaller system is stable. O(n^3).
/// @throws Error(kBadData) for a system that is not stable, Error(kBadConfig) for an order below 0,
///         above n, or above the number of Hankel singular values that are not rounding.
Truncation<DiscreteSystem> TruncateBalanced(const DiscreteSystem& system, int64_t order);
Truncation<ContinuousSystem> TruncateBalanced(const ContinuousSystem& system, int64_t order);

/// The smallest order whose error bound is at most `error`, at least 0.
int64_t OrderForError(const std::vector<double>& hankel, double error);

}  // namespace ssm
