#include "ssm/autograd/ops/rms_norm.h"

#include "ssm/autograd/ops/shapes.h"
#include "ssm/kernels/norm.h"

namespace ssm {

template <Scalar T>
Var<T> RmsNorm(Tape<T>& tape, Var<T> x, Var<T> weight) {
  const Shape shape = tape.shape(x);
  const int64_t rows = RowCount(shape), n = shape.Back(0);
  const Var<T> y = tape.New(shape);
  T* rstd = tape.Floats(rows);
  if (tape.Live()) {
    kernels::RmsNorm(rows, n, tape.value(x), tape.value(weight), tape.out(y), rstd);
  }
  tape.Record(
      "rms_norm", {x, weight}, {y}, 4.0 * static_cast<double>(shape.size()), [=](Tape<T>& t) {
        T *gx = t.acc(x), *gw = t.acc(weight);
        kernels::RmsNormBackward(rows, n, t.value(x), t.value(weight), rstd, t.grad(y), gx, gw);
      });
  return y;
}

template Var<float> RmsNorm(Tape<float>&, Var<float>, Var<float>);
template Var<double> RmsNorm(Tape<double>&, Var<double>, Var<double>);

}  // namespace ssm
