#include "ssm/autograd/ops/diagonal_response.h"

#include <algorithm>
#include <functional>

#include "ssm/autograd/ops/diagonal_system.h"

namespace ssm {
namespace {

/// sum of two arrays of one shape.
template <Scalar T>
Var<T> Sum(Tape<T>& tape, Var<T> a, Var<T> b) {
  const Var<T> sum = tape.New(tape.shape(a));
  const int64_t n = tape.shape(a).size();
  if (tape.Live()) {
    const T *left = tape.value(a), *right = tape.value(b);
    std::transform(left, left + n, right, tape.out(sum), std::plus<T>());
  }
  tape.Record("diagonal_response", {a, b}, {sum}, static_cast<double>(n), [=](Tape<T>& t) {
    const T* g = t.grad(sum);
    for (T* into : {t.acc(a), t.acc(b)}) {
      if (into == nullptr) continue;
      for (int64_t i = 0; i < n; ++i) into[i] += g[i];
    }
  });
  return sum;
}

}  // namespace

template <Scalar T>
Var<T> DiagonalResponse(Tape<T>& tape, Var<T> y, const DiscreteDiagonal<T>& system, Var<T> c,
                        Var<T> h0, const Clock& clock) {
  const auto [response, last] =
      internal::RecordScan<T>(tape, {"diagonal_response", {}, c, {}, h0, system, false}, clock);
  return Sum(tape, y, response);
}

#define SSM_INSTANTIATE(T)                                                                       \
  template Var<T> DiagonalResponse(Tape<T>&, Var<T>, const DiscreteDiagonal<T>&, Var<T>, Var<T>, \
                                   const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
