// Linear maps of tokens mixed with those before them, as RWKV's layers read their input.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/kernels/token_shift.h"
#include "ssm/mixers/packed_weight.h"
#include "ssm/mixers/state.h"
#include "ssm/nn/parameters.h"

namespace ssm {

/// W (mix x_t + (1 - mix) x_{t-1}): mix [D], W [out, D].
struct ShiftedLinear {
  Param mix, weight;

  /// x [B, T, D], `tail` as TokenShift takes it.
  template <Scalar T>
  Var<T> Apply(Tape<T>& tape, Var<T> x, Var<T> tail, const Clock& clock) const;
};

/// The slot that holds the token before: a ring of one.
SlotSpec ShiftSlot(int64_t d_model);
/// Its next value. `tail` none: there is no token before.
template <Scalar T>
Var<T> NextShift(Tape<T>& tape, Var<T> x, Var<T> tail, const Clock& clock);

/// A snapshot of a ShiftedLinear, for steppers.
template <Scalar T>
class ShiftedRows {
 public:
  ShiftedRows(Tape<T>& tape, const ShiftedLinear& from, int64_t rows)
      : mix_(CopyOf(tape, tape.Use(from.mix))),
        weight_(tape, tape.Use(from.weight)),
        mixed_(Shape{rows, mix_.size()}),
        y_(Shape{rows, weight_.stride()}) {}

  /// One token a row; row i of the result is at Row(i).
  void Multiply(const int64_t* pos, const T* tail, const T* x) {
    const int64_t rows = mixed_.shape()[0];
    kernels::TokenShift({rows, 1, mix_.size(), pos}, mix_.data(), tail, x, mixed_.data());
    weight_.Multiply(rows, mixed_.data(), y_.data());
  }
  T* Row(int64_t row) { return y_.data() + row * weight_.stride(); }
  int64_t stride() const { return weight_.stride(); }

 private:
  Array<T> mix_;
  PackedWeight<T> weight_;
  Array<T> mixed_, y_;
};

}  // namespace ssm
