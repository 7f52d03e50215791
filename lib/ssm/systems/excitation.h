// Whether an input moves a system enough to identify it.
#pragma once

#include <cstdint>

#include "ssm/systems/matrix.h"

namespace ssm {

struct Excitation {
  int64_t order = 0;  // the largest order up to `asked` of which the input is exciting
  int64_t asked = 0;
  double condition = 1;  // of the input's block Hankel matrix of `order` block rows
};

/// An input u [N, m] is persistently exciting of order L when the block Hankel matrix of u_k ...
/// u_{k+L-1} [m L, N - L + 1] has full row rank (Willems and others 2005): as many independent
/// windows as a model of that length has unknowns. A constant has order 1, a sinusoid 2, white
/// noise any order that the record is long enough for. Full rank: the condition number is at most
/// `most_condition`. One QR factorisation and an SVD an order tried: O(N (m L)^2 + L (m L)^3).
Excitation ExcitationOf(const Matrix& u, int64_t asked, double most_condition = 1e8);

}  // namespace ssm
