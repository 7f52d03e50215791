#include "ssm/autograd/ops/columns.h"

#include <algorithm>

#include "ssm/autograd/ops/shapes.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/rows.h"

namespace ssm {

template <Scalar T>
Var<T> TakeColumns(Tape<T>& tape, Var<T> x, const Columns& columns) {
  const Shape shape = tape.shape(x);
  const int64_t width = shape.Back(0), n = columns.width, first = columns.first;
  SSM_CHECK(first >= 0 && n >= 0 && first + n <= width,
            "columns that " + shape.ToString() + " does not have");
  const int64_t rows = RowCount(shape);
  const Var<T> y = tape.New(WithLast(shape, n));
  if (tape.Live()) {
    for (int64_t i = 0; i < rows; ++i) {
      std::copy_n(tape.value(x) + i * width + first, n, tape.out(y) + i * n);
    }
  }
  tape.Record("columns", {x}, {y}, 0, [=](Tape<T>& t) {
    T* gx = t.acc(x);
    if (gx == nullptr) return;
    const T* gy = t.grad(y);
    for (int64_t i = 0; i < rows; ++i) {
      kernels::Axpy(n, T{1}, gy + i * n, gx + i * width + first);
    }
  });
  return y;
}

template Var<float> TakeColumns(Tape<float>&, Var<float>, const Columns&);
template Var<double> TakeColumns(Tape<double>&, Var<double>, const Columns&);

}  // namespace ssm
