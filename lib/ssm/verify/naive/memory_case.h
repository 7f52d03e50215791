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

/// x after x' = a x + drive for a time, by Taylor's series over 64 steps.
std::vector<double> NaiveFlow(const NaiveSquare& a, const std::vector<double>& drive, double time,
                              std::vector<double> x);

/// c after LegS's step by `shape` for the token at `position` >= 0, by its dense matrices; the
/// exact one by Taylor's series of c' = A c + B u over ln((t + 1) / t).
std::vector<double> NaiveLegsStep(const kernels::MemoryShape& shape, int64_t position, double u,
                                  const std::vector<double>& c);

}  // namespace ssm
