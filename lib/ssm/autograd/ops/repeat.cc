#include "ssm/autograd/ops/repeat.h"

#include <algorithm>

#include "ssm/base/errors.h"

namespace ssm {

template <Scalar T>
Var<T> Repeat(Tape<T>& tape, Var<T> x, int64_t n) {
  SSM_CHECK(tape.shape(x).size() == 1, "what repeats is [1], not " + tape.shape(x).ToString());
  const Var<T> y = tape.New({n});
  if (tape.Live()) std::fill_n(tape.out(y), n, tape.value(x)[0]);
  tape.Record("repeat", {x}, {y}, 0, [=](Tape<T>& t) {
    T* gx = t.acc(x);
    if (gx == nullptr) return;
    T sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += t.grad(y)[i];
    gx[0] += sum;
  });
  return y;
}

template Var<float> Repeat(Tape<float>&, Var<float>, int64_t);
template Var<double> Repeat(Tape<double>&, Var<double>, int64_t);

}  // namespace ssm
