#include "ssm/autograd/ops/dense_kernel.h"

#include <algorithm>

#include "ssm/autograd/ops/doubles.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/dense_kernel.h"

namespace ssm {
namespace {

/// One channel in double, in a tape's arena.
struct Room {
  double *a = nullptr, *b = nullptr, *c = nullptr, *kernel = nullptr, *states = nullptr;
  double *g_a = nullptr, *g_b = nullptr, *g_c = nullptr, *adjoints = nullptr;
};

template <Scalar T>
struct Op {
  Var<T> a, b, c, skip, kernel;
  int64_t channels = 0, states = 0, length = 0;
  Room room;

  void Load(const Tape<T>& tape, int64_t d) const;
  void Forward(Tape<T>& tape) const;
  void Backward(Tape<T>& tape) const;
};

template <Scalar T>
void Op<T>::Load(const Tape<T>& tape, int64_t d) const {
  internal::LoadDoubles(tape.value(a), d, states * states, room.a);
  internal::LoadDoubles(tape.value(b), d, states, room.b);
  internal::LoadDoubles(tape.value(c), d, states, room.c);
  kernels::DenseKernel(states, length, room.a, room.b, room.c, room.kernel, room.states);
}

template <Scalar T>
void Op<T>::Forward(Tape<T>& tape) const {
  for (int64_t d = 0; d < channels; ++d) {
    Load(tape, d);
    if (skip && length > 0) room.kernel[0] += static_cast<double>(tape.value(skip)[d]);
    internal::StoreDoubles(room.kernel, d, length, tape.out(kernel));
  }
}

template <Scalar T>
void Op<T>::Backward(Tape<T>& tape) const {
  for (int64_t d = 0; d < channels; ++d) {
    Load(tape, d);
    internal::LoadDoubles(tape.grad(kernel), d, length, room.kernel);
    std::fill_n(room.g_a, states * states, 0.0);
    std::fill_n(room.g_b, states, 0.0);
    std::fill_n(room.g_c, states, 0.0);
    kernels::DenseKernelBackward(states, length, room.a, room.c, room.states, room.kernel, room.g_a,
                                 room.g_b, room.g_c, room.adjoints);
    internal::AddDoubles(room.g_a, d, states * states, tape.acc(a));
    internal::AddDoubles(room.g_b, d, states, tape.acc(b));
    internal::AddDoubles(room.g_c, d, states, tape.acc(c));
    if (skip && length > 0) internal::AddDoubles(room.kernel, d, 1, tape.acc(skip));
  }
}

}  // namespace

template <Scalar T>
Var<T> DenseKernel(Tape<T>& tape, Var<T> a_minus_1, Var<T> b, Var<T> c, Var<T> skip,
                   int64_t length) {
  const Shape vectors = tape.shape(c);
  SSM_CHECK(vectors.rank() == 2 && tape.shape(b) == vectors &&
                tape.shape(a_minus_1) == vectors.Append(vectors[1]) &&
                (!skip || tape.shape(skip) == Shape{vectors[0]}),
            "A - 1 [D, N, N], b and c [D, N] of dense channels do not fit each other: c is " +
                vectors.ToString());
  Op<T> op{a_minus_1,  b,          c,      skip, tape.New({vectors[0], length}),
           vectors[0], vectors[1], length, {}};
  const int64_t n = op.states;
  const auto take = [&tape](int64_t size) { return internal::Doubles(tape, size); };
  op.room = {take(n * n), take(n), take(n), take(length), take(length * n)};
  if (tape.mode() != Mode::kInfer) {
    op.room.g_a = take(n * n);
    op.room.g_b = take(n);
    op.room.g_c = take(n);
    op.room.adjoints = take(length * n);
  }
  if (tape.Live()) op.Forward(tape);
  const double flops = 2 * static_cast<double>(op.channels * length) * static_cast<double>(n * n);
  tape.Record("dense_kernel", {a_minus_1, b, c, skip}, {op.kernel}, flops,
              [op](Tape<T>& t) { op.Backward(t); });
  return op.kernel;
}

#define SSM_INSTANTIATE(T) \
  template Var<T> DenseKernel(Tape<T>&, Var<T>, Var<T>, Var<T>, Var<T>, int64_t);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
