#include "ssm/autograd/ops/tap.h"

#include <algorithm>

#include "ssm/kernels/rows.h"

namespace ssm {

template <Scalar T>
Var<T> Tap(Tape<T>& tape, Var<T> x, Array<T>* value, Array<T>* gradient) {
  const Shape shape = tape.shape(x);
  const int64_t n = shape.size();
  const Var<T> y = tape.New(shape);
  if (tape.Live()) {
    std::copy_n(tape.value(x), n, tape.out(y));
    if (value != nullptr) {
      value->Resize(shape);
      std::copy_n(tape.value(x), n, value->data());
    }
  }
  tape.Record("tap", {x}, {y}, 0, [=](Tape<T>& t) {
    if (gradient != nullptr) {
      gradient->Resize(shape);
      std::copy_n(t.grad(y), n, gradient->data());
    }
    if (T* gx = t.acc(x)) kernels::Axpy(n, T{1}, t.grad(y), gx);
  });
  return y;
}

#define SSM_INSTANTIATE(T) template Var<T> Tap(Tape<T>&, Var<T>, Array<T>*, Array<T>*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
