#include "ssm/mixers/shifted_linear.h"

#include "ssm/autograd/ops/cache_write.h"
#include "ssm/autograd/ops/linear.h"
#include "ssm/autograd/ops/token_shift.h"

namespace ssm {

template <Scalar T>
Var<T> ShiftedLinear::Apply(Tape<T>& tape, Var<T> x, Var<T> tail, const Clock& clock) const {
  return Linear(tape, TokenShift(tape, x, tape.Use(mix), tail, clock), tape.Use(weight));
}

SlotSpec ShiftSlot(int64_t d_model) {
  return {.name = "x", .kind = SlotKind::kRing, .entry = Shape{d_model}, .entries = 1};
}

template <Scalar T>
Var<T> NextShift(Tape<T>& tape, Var<T> x, Var<T> tail, const Clock& clock) {
  return RingWrite(tape, x, {0, tape.shape(x).Back(0)}, tail, 1, clock);
}

#define SSM_INSTANTIATE(T)                                                            \
  template Var<T> ShiftedLinear::Apply(Tape<T>&, Var<T>, Var<T>, const Clock&) const; \
  template Var<T> NextShift(Tape<T>&, Var<T>, Var<T>, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
