// What the cases of ops over fixed memories share: HiPPO's matrices written out, steps by solving.
#pragma once

#include <vector>

#include "ssm/kernels/memory_step.h"

namespace ssm {

/// A square matrix by rows.
using NaiveSquare = std::vector<std::vector<double>>;

/// HiPPO-LegS, for `windowed` LegT (see systems/hippo_matrices.h).
NaiveSquare NaiveHippoMatrix(int64_t order, bool windowed);
/// r_i = sqrt(2 i + 1): B of both.
std::vector<double> NaiveHippoInput(int64_t order);

/// The solution of m x = y by elimination with row pivots.
std::vector<double> NaiveSolve(NaiveSquare m, std::vector<double> y);

/// c after LegS's step by `shape` for the token at `position` >= 0, by its dense matrices.
std::vector<double> NaiveLegsStep(const kernels::MemoryShape& shape, int64_t position, double u,
                                  const std::vector<double>& c);

}  // namespace ssm
