// Operations with a deliberate fault, for mixers that the laws must catch.
#pragma once

#include <span>

#include "ssm/autograd/tape.h"

namespace ssm {

/// x; half of its gradient is lost.
template <Scalar T>
Var<T> HalfGradient(Tape<T>& tape, Var<T> x);

/// y[b, t] + x[b, t + 1] / 10 wherever token t + 1 continues token t's sequence; gradients right.
/// y and x [B, T, D], pos [B, T].
template <Scalar T>
Var<T> AddNextToken(Tape<T>& tape, Var<T> y, Var<T> x, Ints pos);

/// Zeros in place of a state.
template <Scalar T>
std::span<const Var<T>> Forgotten(Tape<T>& tape, std::span<const Var<T>> state);

}  // namespace ssm
