// Nonlinear cells around a HiPPO memory, token by token.
#pragma once

#include <memory>

#include "ssm/mixers/hippo_cell.h"

namespace ssm {

/// Steps `batch` rows of slots c [M, N] and h [H]. `cell` is copied.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeHippoCellStepper(const HippoCell& cell, MemorySnapshot<T> memory,
                                                 int64_t batch, ParamView<T> params);

}  // namespace ssm
