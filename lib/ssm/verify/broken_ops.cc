#include "ssm/verify/broken_ops.h"

#include <algorithm>

namespace ssm {

template <Scalar T>
Var<T> HalfGradient(Tape<T>& tape, Var<T> x) {
  const int64_t size = tape.shape(x).size();
  const Var<T> y = tape.New(tape.shape(x));
  if (tape.Live()) std::copy_n(tape.value(x), size, tape.out(y));
  tape.Record("broken_identity", {x}, {y}, 0, [=](Tape<T>& t) {
    T* d_x = t.acc(x);
    if (d_x == nullptr) return;
    for (int64_t i = 0; i < size; ++i) d_x[i] += t.grad(y)[i] / 2;
  });
  return y;
}

template <Scalar T>
Var<T> AddNextToken(Tape<T>& tape, Var<T> y, Var<T> x, Ints pos) {
  const Shape shape = tape.shape(y);
  const int64_t rows = shape[0], steps = shape[1], width = shape[2];
  const Var<T> z = tape.New(shape);
  // Calls body(element of y, element of x) for every pair that is added.
  const auto for_pairs = [=](auto body) {
    for (int64_t b = 0; b < rows; ++b) {
      for (int64_t t = 0; t + 1 < steps; ++t) {
        const size_t i = static_cast<size_t>(b * steps + t);
        if (pos[i] < 0 || pos[i + 1] != pos[i] + 1) continue;
        const int64_t at = (b * steps + t) * width;
        for (int64_t d = 0; d < width; ++d) body(at + d, at + width + d);
      }
    }
  };
  if (tape.Live()) {
    std::copy_n(tape.value(y), shape.size(), tape.out(z));
    for_pairs([&](int64_t to, int64_t from) { tape.out(z)[to] += tape.value(x)[from] / 10; });
  }
  tape.Record("future_peek", {y, x}, {z}, 0, [=](Tape<T>& t) {
    const T* d_z = t.grad(z);
    if (T* d_y = t.acc(y)) {
      for (int64_t i = 0; i < shape.size(); ++i) d_y[i] += d_z[i];
    }
    if (T* d_x = t.acc(x)) {
      for_pairs([&](int64_t to, int64_t from) { d_x[from] += d_z[to] / 10; });
    }
  });
  return z;
}

template <Scalar T>
std::span<const Var<T>> Forgotten(Tape<T>& tape, std::span<const Var<T>> state) {
  const std::span<Var<T>> zeros = tape.NewVars(static_cast<int64_t>(state.size()));
  for (size_t i = 0; i < state.size(); ++i) {
    zeros[i] = tape.New(tape.shape(state[i]));
    if (tape.Live()) std::fill_n(tape.out(zeros[i]), tape.shape(zeros[i]).size(), T{0});
  }
  return zeros;
}

#define SSM_INSTANTIATE(T)                                      \
  template Var<T> HalfGradient(Tape<T>&, Var<T>);               \
  template Var<T> AddNextToken(Tape<T>&, Var<T>, Var<T>, Ints); \
  template std::span<const Var<T>> Forgotten(Tape<T>&, std::span<const Var<T>>);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
