#include "ssm/autograd/ops/token_shift.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/token_shift.h"

namespace ssm {

template <Scalar T>
Var<T> TokenShift(Tape<T>& tape, Var<T> x, Var<T> mix, Var<T> tail, const Clock& clock) {
  const int64_t width = tape.shape(mix).size();
  const Shape all{clock.B, clock.T, width};
  SSM_CHECK(tape.shape(x) == all, "a token shift of " + std::to_string(width) + " channels reads " +
                                      tape.shape(x).ToString());
  SSM_CHECK(!tail || tape.shape(tail) == Shape({clock.B, 1, width}),
            "the tail of a token shift is [B, 1, D]");
  const Ints pos = clock.pos;
  const kernels::TokenShiftShape shape{clock.B, clock.T, width, pos.data()};
  const Var<T> y = tape.New(all);
  T* scratch = tape.Floats(width);
  if (tape.Live()) {
    kernels::TokenShift(shape, tape.value(mix), internal::ValueOrNull(tape, tail), tape.value(x),
                        tape.out(y));
  }
  tape.Record(
      "token_shift", {x, mix, tail}, {y}, 4 * static_cast<double>(all.size()), [=](Tape<T>& t) {
        kernels::TokenShiftBackward(shape, t.value(mix), internal::ValueOrNull(t, tail), t.value(x),
                                    t.grad(y), t.acc(x), t.acc(mix), t.acc(tail), scratch);
      });
  return y;
}

#define SSM_INSTANTIATE(T) \
  template Var<T> TokenShift(Tape<T>&, Var<T>, Var<T>, Var<T>, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
