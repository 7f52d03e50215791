#include "ssm/autograd/ops/gated.h"

#include "ssm/autograd/ops/shapes.h"
#include "ssm/base/errors.h"

namespace ssm {

template <Scalar T>
Var<T> Glu(Tape<T>& tape, Var<T> x) {
  const Shape shape = tape.shape(x);
  SSM_CHECK(shape.Back(0) % 2 == 0,
            "a gated linear unit halves its last axis, got " + shape.ToString());
  const int64_t rows = RowCount(shape), n = shape.Back(0) / 2;
  const Var<T> y = tape.New(WithLast(shape, n));
  constexpr Activation kGate = Activation::kSigmoid;
  if (tape.Live()) {
    for (int64_t i = 0; i < rows; ++i) {
      const T* row = tape.value(x) + i * 2 * n;
      kernels::ApplyProduct(kGate, n, row + n, row, tape.out(y) + i * n);
    }
  }
  const double flops = static_cast<double>(rows * n) * (kernels::ActivationFlops(kGate) + 1);
  tape.Record("gated", {x}, {y}, flops, [=](Tape<T>& t) {
    T* gx = t.acc(x);
    if (gx == nullptr) return;
    for (int64_t i = 0; i < rows; ++i) {
      const T* row = t.value(x) + i * 2 * n;
      T* g = gx + i * 2 * n;
      kernels::ApplyProductBackward(kGate, n, row + n, row, t.grad(y) + i * n, g + n, g);
    }
  });
  return y;
}

template <Scalar T>
Var<T> GatedProduct(Tape<T>& tape, Activation f, Var<T> gate, Var<T> value) {
  const Shape shape = tape.shape(gate);
  SSM_CHECK(shape == tape.shape(value),
            "a gate " + shape.ToString() + " meets a value " + tape.shape(value).ToString());
  const int64_t n = shape.size();
  const Var<T> y = tape.New(shape);
  if (tape.Live()) {
    kernels::ApplyProduct(f, n, tape.value(gate), tape.value(value), tape.out(y));
  }
  const double flops = static_cast<double>(n) * (kernels::ActivationFlops(f) + 1);
  tape.Record("gated", {gate, value}, {y}, flops, [=](Tape<T>& t) {
    T *ga = t.acc(gate), *gb = t.acc(value);
    kernels::ApplyProductBackward(f, n, t.value(gate), t.value(value), t.grad(y), ga, gb);
  });
  return y;
}

template <Scalar T>
Var<T> GatedProduct(Tape<T>& tape, Activation f, Var<T> gate, const Columns& columns,
                    Var<T> value) {
  const Shape shape = tape.shape(value);
  const int64_t width = tape.shape(gate).Back(0), n = columns.width, first = columns.first;
  SSM_CHECK(
      shape == WithLast(tape.shape(gate), n) && first >= 0 && first + n <= width,
      "columns of a gate " + tape.shape(gate).ToString() + " meet a value " + shape.ToString());
  const int64_t rows = RowCount(shape);
  const Var<T> y = tape.New(shape);
  if (tape.Live()) {
    for (int64_t i = 0; i < rows; ++i) {
      kernels::ApplyProduct(f, n, tape.value(gate) + i * width + first, tape.value(value) + i * n,
                            tape.out(y) + i * n);
    }
  }
  const double flops = static_cast<double>(rows * n) * (kernels::ActivationFlops(f) + 1);
  tape.Record("gated", {gate, value}, {y}, flops, [=](Tape<T>& t) {
    T *ga = t.acc(gate), *gb = t.acc(value);
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t at = i * width + first;
      kernels::ApplyProductBackward(f, n, t.value(gate) + at, t.value(value) + i * n,
                                    t.grad(y) + i * n, ga == nullptr ? nullptr : ga + at,
                                    gb == nullptr ? nullptr : gb + i * n);
    }
  });
  return y;
}

#define SSM_INSTANTIATE(T)                                            \
  template Var<T> Glu(Tape<T>&, Var<T>);                              \
  template Var<T> GatedProduct(Tape<T>&, Activation, Var<T>, Var<T>); \
  template Var<T> GatedProduct(Tape<T>&, Activation, Var<T>, const Columns&, Var<T>);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
