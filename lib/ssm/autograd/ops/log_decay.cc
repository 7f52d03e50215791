#include "ssm/autograd/ops/log_decay.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/autograd/ops/shapes.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/log_decay.h"

namespace ssm {

template <Scalar T>
Var<T> LogDecay(Tape<T>& tape, Var<T> x, Var<T> rate, Var<T> dt, double dt_scale) {
  const Shape shape = tape.shape(x);
  const kernels::LogDecayShape sizes{RowCount(shape), shape.Back(0), dt_scale};
  SSM_CHECK(
      tape.shape(rate) == Shape({sizes.heads}) && (!dt || tape.shape(dt).size() == sizes.tokens),
      "decays of x " + shape.ToString() + " need a rate for each head and dt for each token");
  const Var<T> g = tape.New(shape);
  T* scratch = tape.Floats(sizes.heads);
  if (tape.Live()) {
    kernels::LogDecay(sizes, tape.value(x), tape.value(rate), internal::ValueOrNull(tape, dt),
                      tape.out(g), scratch);
  }
  const double flops = 38 * static_cast<double>(shape.size());
  tape.Record("log_decay", {x, rate, dt}, {g}, flops, [=](Tape<T>& t) {
    T *gx = t.acc(x), *grate = t.acc(rate), *gdt = t.acc(dt);
    kernels::LogDecayBackward(sizes, t.value(x), t.value(rate), internal::ValueOrNull(t, dt),
                              t.grad(g), gx, grate, gdt, scratch);
  });
  return g;
}

template Var<float> LogDecay(Tape<float>&, Var<float>, Var<float>, Var<float>, double);
template Var<double> LogDecay(Tape<double>&, Var<double>, Var<double>, Var<double>, double);

}  // namespace ssm
