#include "ssm/autograd/ops/rms_norm.h"

#include "ssm/autograd/ops/shapes.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/norm.h"

namespace ssm {

template <Scalar T>
Var<T> RmsNorm(Tape<T>& tape, Var<T> x, Var<T> weight, int64_t groups) {
  const Shape shape = tape.shape(x);
  const int64_t rows = RowCount(shape), n = shape.Back(0);
  SSM_CHECK(groups >= 1 && n % groups == 0, "groups of an RMS norm share its channels equally");
  const Var<T> y = tape.New(shape);
  T* rstd = tape.Floats(rows * groups);
  if (tape.Live()) {
    kernels::RmsNorm(rows, n, tape.value(x), tape.value(weight), tape.out(y), rstd, groups);
  }
  tape.Record("rms_norm", {x, weight}, {y}, 4.0 * static_cast<double>(shape.size()),
              [=](Tape<T>& t) {
                T *gx = t.acc(x), *gw = t.acc(weight);
                kernels::RmsNormBackward(rows, n, t.value(x), t.value(weight), rstd, t.grad(y), gx,
                                         gw, groups);
              });
  return y;
}

template Var<float> RmsNorm(Tape<float>&, Var<float>, Var<float>, int64_t);
template Var<double> RmsNorm(Tape<double>&, Var<double>, Var<double>, int64_t);

}  // namespace ssm
