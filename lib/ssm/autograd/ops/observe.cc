#include "ssm/autograd/ops/observe.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/kernels/rows.h"

namespace ssm {
namespace {

/// The sum over rows of the root mean square of x over real tokens and channels.
template <Scalar T>
double RootMeanSquares(int64_t rows, int64_t steps, int64_t channels, Ints pos, const T* x) {
  double total = 0;
  for (int64_t b = 0; b < rows; ++b) {
    double sum = 0;
    int64_t tokens = 0;
    for (int64_t i = b * steps; i < (b + 1) * steps; ++i) {
      if (pos[static_cast<size_t>(i)] < 0) continue;
      sum += static_cast<double>(kernels::Dot(channels, x + i * channels, x + i * channels));
      ++tokens;
    }
    if (tokens > 0) total += std::sqrt(sum / static_cast<double>(tokens * channels));
  }
  return total;
}

}  // namespace

template <Scalar T>
Var<T> Observe(Tape<T>& tape, Var<T> x, const Clock& clock, double* value, double* gradient) {
  const Shape shape = tape.shape(x);
  const int64_t rows = shape[0], steps = shape[1], channels = shape[2], n = shape.size();
  SSM_CHECK(rows == clock.B && steps == clock.T, "a value is observed by another clock");
  const Ints pos = clock.pos;
  const Var<T> y = tape.New(shape);
  if (tape.Live()) {
    std::copy_n(tape.value(x), n, tape.out(y));
    *value += RootMeanSquares(rows, steps, channels, pos, tape.value(x));
  }
  tape.Record("observe", {x}, {y}, 2.0 * static_cast<double>(n), [=](Tape<T>& t) {
    *gradient += RootMeanSquares(rows, steps, channels, pos, t.grad(y));
    if (T* gx = t.acc(x)) kernels::Axpy(n, T{1}, t.grad(y), gx);
  });
  return y;
}

#define SSM_INSTANTIATE(T) \
  template Var<T> Observe(Tape<T>&, Var<T>, const Clock&, double*, double*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
