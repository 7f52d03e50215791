#include "ssm/autograd/ops/layer_norm.h"

#include "ssm/autograd/ops/shapes.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/norm.h"

namespace ssm {

template <Scalar T>
Var<T> LayerNorm(Tape<T>& tape, Var<T> x, Var<T> weight, Var<T> bias, int64_t groups) {
  const Shape shape = tape.shape(x);
  const int64_t rows = RowCount(shape), n = shape.Back(0);
  SSM_CHECK(groups >= 1 && n % groups == 0, "groups of a layer norm share its channels equally");
  const Var<T> y = tape.New(shape);
  T *mean = tape.Floats(rows * groups), *rstd = tape.Floats(rows * groups);
  if (tape.Live()) {
    kernels::LayerNorm(rows, n, tape.value(x), tape.value(weight), tape.value(bias), tape.out(y),
                       mean, rstd, groups);
  }
  tape.Record("layer_norm", {x, weight, bias}, {y}, 8.0 * static_cast<double>(shape.size()),
              [=](Tape<T>& t) {
                T *gx = t.acc(x), *gw = t.acc(weight), *gb = t.acc(bias);
                kernels::LayerNormBackward(rows, n, t.value(x), t.value(weight), mean, rstd,
                                           t.grad(y), gx, gw, gb, groups);
              });
  return y;
}

template Var<float> LayerNorm(Tape<float>&, Var<float>, Var<float>, Var<float>, int64_t);
template Var<double> LayerNorm(Tape<double>&, Var<double>, Var<double>, Var<double>, int64_t);

}  // namespace ssm
