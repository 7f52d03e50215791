#include "ssm/autograd/ops/pointwise.h"

#include "ssm/base/errors.h"

namespace ssm {
namespace {

template <Scalar T>
int64_t CommonSize(const Tape<T>& tape, Var<T> a, Var<T> b) {
  SSM_CHECK(tape.shape(a) == tape.shape(b),
            "shapes " + tape.shape(a).ToString() + " and " + tape.shape(b).ToString() + " differ");
  return tape.shape(a).size();
}

/// A new Var of the shape of `like`.
template <Scalar T>
Var<T> NewLike(Tape<T>& tape, Var<T> like) {
  const Shape shape = tape.shape(like);
  return tape.New(shape);
}

/// into += factor g.
template <class T>
void AddScaled(int64_t n, T factor, const T* g, T* into) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) into[i] += factor * g[i];
}

/// into += g with.
template <class T>
void AddProduct(int64_t n, const T* g, const T* with, T* into) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) into[i] += g[i] * with[i];
}

}  // namespace

template <Scalar T>
Var<T> Activate(Tape<T>& tape, Activation f, Var<T> x) {
  if (f == Activation::kNone) return x;
  const int64_t n = tape.shape(x).size();
  const Var<T> y = NewLike(tape, x);
  if (tape.Live()) kernels::Apply(f, n, tape.value(x), tape.out(y));
  tape.Record("pointwise", {x}, {y}, static_cast<double>(n) * kernels::ActivationFlops(f),
              [=](Tape<T>& t) {
                if (T* gx = t.acc(x)) kernels::ApplyBackward(f, n, t.value(x), t.grad(y), gx);
              });
  return y;
}

template <Scalar T>
Var<T> Add(Tape<T>& tape, Var<T> a, Var<T> b) {
  const int64_t n = CommonSize(tape, a, b);
  const Var<T> y = NewLike(tape, a);
  if (tape.Live()) {
    const T *va = tape.value(a), *vb = tape.value(b);
    T* out = tape.out(y);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = va[i] + vb[i];
  }
  tape.Record("pointwise", {a, b}, {y}, static_cast<double>(n), [=](Tape<T>& t) {
    if (T* ga = t.acc(a)) AddScaled(n, T{1}, t.grad(y), ga);
    if (T* gb = t.acc(b)) AddScaled(n, T{1}, t.grad(y), gb);
  });
  return y;
}

template <Scalar T>
Var<T> Multiply(Tape<T>& tape, Var<T> a, Var<T> b) {
  const int64_t n = CommonSize(tape, a, b);
  const Var<T> y = NewLike(tape, a);
  if (tape.Live()) {
    const T *va = tape.value(a), *vb = tape.value(b);
    T* out = tape.out(y);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = va[i] * vb[i];
  }
  tape.Record("pointwise", {a, b}, {y}, static_cast<double>(n), [=](Tape<T>& t) {
    if (T* ga = t.acc(a)) AddProduct(n, t.grad(y), t.value(b), ga);
    if (T* gb = t.acc(b)) AddProduct(n, t.grad(y), t.value(a), gb);
  });
  return y;
}

template <Scalar T>
Var<T> Scale(Tape<T>& tape, Var<T> x, T factor) {
  const int64_t n = tape.shape(x).size();
  const Var<T> y = NewLike(tape, x);
  if (tape.Live()) {
    const T* v = tape.value(x);
    T* out = tape.out(y);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = factor * v[i];
  }
  tape.Record("pointwise", {x}, {y}, static_cast<double>(n), [=](Tape<T>& t) {
    if (T* gx = t.acc(x)) AddScaled(n, factor, t.grad(y), gx);
  });
  return y;
}

#define SSM_INSTANTIATE(T)                                \
  template Var<T> Activate(Tape<T>&, Activation, Var<T>); \
  template Var<T> Add(Tape<T>&, Var<T>, Var<T>);          \
  template Var<T> Multiply(Tape<T>&, Var<T>, Var<T>);     \
  template Var<T> Scale(Tape<T>&, Var<T>, T);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
