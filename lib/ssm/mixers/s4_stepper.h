// S4 token by token.
#pragma once

#include <memory>

#include "ssm/autograd/ops/discretize_dplr.h"
#include "ssm/mixers/sequence_mixer.h"

namespace ssm {

/// What a stepper of S4 snapshots: values on an inference tape, copied before this returns.
template <Scalar T>
struct S4Snapshot {
  DiscreteDplr<T> system;
  Var<T> c, skip;
};

/// Steps `batch` rows of one slot h [D, M, 2]. 26 D M FLOPs a token.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeS4Stepper(const Tape<T>& tape, int64_t batch,
                                          const S4Snapshot<T>& snapshot);

}  // namespace ssm
