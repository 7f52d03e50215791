// What losses have in common: one weighted term for each output.
#pragma once

#include "ssm/autograd/ops/loss_weights.h"
#include "ssm/base/errors.h"

namespace ssm {

/// sum [1] of w term(y, target) over the elements of y, in double and in their order; backward
/// gy w slope(y, target). Elements of weight 0 are not read. `flops` a term.
template <Scalar T, class Term, class Slope>
Var<T> WeightedSum(Tape<T>& tape, const char* name, Var<T> y, Var<T> target, Var<T> weight,
                   double flops, Term term, Slope slope) {
  const int64_t n = tape.shape(y).size();
  SSM_CHECK(tape.shape(target) == tape.shape(y), "targets " + tape.shape(target).ToString() +
                                                     " meet outputs " + tape.shape(y).ToString());
  const int64_t each = ElementsPerWeight(tape.shape(y), tape.shape(weight));
  const Var<T> loss = tape.New({1});
  if (tape.Live()) {
    const T *values = tape.value(y), *targets = tape.value(target), *w = tape.value(weight);
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (w[i / each] != 0) sum += static_cast<double>(w[i / each]) * term(values[i], targets[i]);
    }
    tape.out(loss)[0] = static_cast<T>(sum);
  }
  tape.Record(name, {y, target, weight}, {loss}, flops * static_cast<double>(n), [=](Tape<T>& t) {
    T* gy = t.acc(y);
    if (gy == nullptr) return;
    const T *values = t.value(y), *targets = t.value(target), *w = t.value(weight);
    const T g = t.grad(loss)[0];
    for (int64_t i = 0; i < n; ++i) {
      if (w[i / each] != 0) gy[i] += g * w[i / each] * slope(values[i], targets[i]);
    }
  });
  return loss;
}

}  // namespace ssm
