// S4D token by token.
#pragma once

#include <memory>

#include "ssm/autograd/ops/discretize_diagonal.h"
#include "ssm/mixers/sequence_mixer.h"

namespace ssm {

/// What a stepper of S4D snapshots: values on an inference tape, copied before this returns.
template <Scalar T>
struct S4dSnapshot {
  DiagonalParameters<T> continuous;  // for tokens that come with a dt of their own
  DiscreteDiagonal<T> system;
  Var<T> c, skip;
};

/// Steps `batch` rows of one slot h [D, N, 2] or [D, N].
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeS4dStepper(const Tape<T>& tape, int64_t batch,
                                           const S4dSnapshot<T>& snapshot);

}  // namespace ssm
