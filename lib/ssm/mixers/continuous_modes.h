// The modes behind the parameters that s4d, s5 and lru share.
#pragma once

#include <vector>

#include "ssm/autograd/ops/discretize_diagonal.h"
#include "ssm/mixers/linear_mode.h"

namespace ssm {

/// Discretised in double from values on `tape`: of D channels of M modes in the order of
/// log_A_real, or of M modes with a step each (channel -1). `write` is |B_bar| for B = 1.
template <Scalar T>
std::vector<LinearMode> ContinuousModesOf(const Tape<T>& tape, const DiagonalParameters<T>& p);

}  // namespace ssm
