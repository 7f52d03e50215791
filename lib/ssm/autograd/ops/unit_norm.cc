#include "ssm/autograd/ops/unit_norm.h"

#include "ssm/autograd/ops/shapes.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/unit_norm.h"

namespace ssm {

template <Scalar T>
Var<T> UnitNorm(Tape<T>& tape, Var<T> x, int64_t groups, int64_t width, double eps) {
  const Shape shape = tape.shape(x);
  const kernels::UnitNormShape sizes{RowCount(shape), shape.Back(0), groups, width, eps};
  SSM_CHECK(groups >= 0 && width >= 1 && groups * width <= sizes.n,
            "parts of unit length lie within the last axis of " + shape.ToString());
  const Var<T> y = tape.New(shape);
  T* inverse = tape.Floats(sizes.rows * groups);
  if (tape.Live()) kernels::UnitNorm(sizes, tape.value(x), tape.out(y), inverse);
  const double flops = 3 * static_cast<double>(sizes.rows * groups * width);
  tape.Record("unit_norm", {x}, {y}, flops, [=](Tape<T>& t) {
    T* gx = t.acc(x);
    if (gx != nullptr) kernels::UnitNormBackward(sizes, t.value(x), inverse, t.grad(y), gx);
  });
  return y;
}

template Var<float> UnitNorm(Tape<float>&, Var<float>, int64_t, int64_t, double);
template Var<double> UnitNorm(Tape<double>&, Var<double>, int64_t, int64_t, double);

}  // namespace ssm
