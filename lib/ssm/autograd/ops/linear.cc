#include "ssm/autograd/ops/linear.h"

#include "ssm/autograd/ops/shapes.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/gemm.h"
#include "ssm/kernels/pointwise.h"

namespace ssm {

using kernels::Write;

template <Scalar T>
Var<T> Linear(Tape<T>& tape, Var<T> x, Var<T> weight, Var<T> bias, LinearRows by) {
  const Shape shape = tape.shape(x);
  const int64_t out = tape.shape(weight)[0], in = tape.shape(weight)[1];
  SSM_CHECK(shape.Back(0) == in,
            "x " + shape.ToString() + " meets a weight " + tape.shape(weight).ToString());
  const int64_t rows = RowCount(shape);
  Var<T> y = tape.New(WithLast(shape, out));
  if (tape.Live()) {
    if (bias) kernels::SpreadRows(rows, out, tape.value(bias), tape.out(y));
    const auto product =
        by == LinearRows::kByRow ? kernels::GemmTransposedBByRow<T> : kernels::GemmTransposedB<T>;
    product(rows, out, in, tape.value(x), tape.value(weight), tape.out(y),
            bias ? Write::kAdd : Write::kAssign);
  }
  const double numbers = static_cast<double>(rows * out), product = 2 * static_cast<double>(in);
  const FlopCount flops(numbers * (product + (bias ? 1 : 0)), numbers * product);
  tape.Record("linear", {x, weight, bias}, {y}, flops, [=](Tape<T>& t) {
    const T* gy = t.grad(y);
    if (T* gx = t.acc(x)) {
      kernels::Gemm(rows, in, out, gy, t.value(weight), gx, Write::kAdd);
    }
    if (T* gw = t.acc(weight)) {
      kernels::GemmTransposedA(out, in, rows, gy, t.value(x), gw, Write::kAdd);
    }
    if (T* gb = t.acc(bias)) kernels::SumRows(rows, out, gy, gb);
  });
  return y;
}

template Var<float> Linear(Tape<float>&, Var<float>, Var<float>, Var<float>, LinearRows);
template Var<double> Linear(Tape<double>&, Var<double>, Var<double>, Var<double>, LinearRows);

}  // namespace ssm
