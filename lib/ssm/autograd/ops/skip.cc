#include "ssm/autograd/ops/skip.h"

#include <algorithm>

#include "ssm/autograd/ops/shapes.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/rows.h"

namespace ssm {
namespace {

template <class T>
void AddSkip(int64_t rows, int64_t width, const T* x, const T* d, T* z) {
  for (int64_t r = 0; r < rows; ++r) {
#pragma omp simd
    for (int64_t i = 0; i < width; ++i) z[r * width + i] += d[i] * x[r * width + i];
  }
}

}  // namespace

template <Scalar T>
Var<T> Skip(Tape<T>& tape, Var<T> y, Var<T> x, Var<T> d) {
  const Shape shape = tape.shape(y);
  SSM_CHECK(tape.shape(x) == shape && tape.shape(d) == Shape{shape.Back(0)},
            "y " + shape.ToString() + ", x " + tape.shape(x).ToString() + " and d " +
                tape.shape(d).ToString() + " do not fit");
  const int64_t rows = RowCount(shape), width = shape.Back(0);
  const Var<T> z = tape.New(shape);
  if (tape.Live()) {
    std::copy_n(tape.value(y), shape.size(), tape.out(z));
    AddSkip(rows, width, tape.value(x), tape.value(d), tape.out(z));
  }
  tape.Record("skip", {y, x, d}, {z}, 2 * static_cast<double>(shape.size()), [=](Tape<T>& t) {
    const T* gz = t.grad(z);
    if (T* gy = t.acc(y)) kernels::Axpy(shape.size(), T{1}, gz, gy);
    if (T* gx = t.acc(x)) AddSkip(rows, width, gz, t.value(d), gx);
    if (T* gd = t.acc(d)) {
      const T* from = t.value(x);
      for (int64_t r = 0; r < rows; ++r) {
#pragma omp simd
        for (int64_t i = 0; i < width; ++i) gd[i] += gz[r * width + i] * from[r * width + i];
      }
    }
  });
  return z;
}

template Var<float> Skip(Tape<float>&, Var<float>, Var<float>, Var<float>);
template Var<double> Skip(Tape<double>&, Var<double>, Var<double>, Var<double>);

}  // namespace ssm
