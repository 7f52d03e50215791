#include "ssm/autograd/ops/diagonal_scan.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/autograd/ops/last_state.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/diagonal_scan.h"

namespace ssm {
template <Scalar T>
DiagonalScanOutputs<T> DiagonalScan(Tape<T>& tape, ScanField field, Var<T> a, Var<T> b, Var<T> h0,
                                    const Clock& clock, ScanCoefficient coefficient) {
  const Shape all = tape.shape(b), given = tape.shape(a);
  const bool complex = field == ScanField::kComplex;
  const bool fixed = given.size() != all.size() || given.rank() < 3;
  const Shape one = fixed ? given : Shape(given.begin() + 2, given.rank() - 2);
  const Shape state = one.Prepend(clock.B);
  const int64_t tokens = clock.B * clock.T;
  SSM_CHECK(all.rank() > 2 && all[0] == clock.B && all[1] == clock.T &&
                all.size() == tokens * one.size() && (!complex || one.Back(0) % 2 == 0),
            "coefficients " + given.ToString() + " do not fit an input " + all.ToString());
  SSM_CHECK(!h0 || tape.shape(h0).size() == state.size(), "a scan's state is [B, C(, 2)]");
  const Ints pos = clock.pos;
  const kernels::DiagonalScanShape shape{
      clock.B,   clock.T, one.size() / (complex ? 2 : 1),
      complex,   fixed,   coefficient == ScanCoefficient::kMinusOne,
      pos.data()};
  const Var<T> h = tape.New(all), last = tape.New(state);
  T* scratch = tape.Floats(2 * shape.width());
  if (tape.Live()) {
    const T* start = internal::ValueOrNull(tape, h0);
    kernels::DiagonalScan(shape, tape.value(a), tape.value(b), start, tape.out(h));
    internal::CopyLastState(shape.rows, shape.steps, shape.width(), tape.value(h), start,
                            tape.out(last));
  }
  const double flops = (complex ? 8 : 2) * static_cast<double>(shape.rows * shape.steps) *
                       static_cast<double>(shape.channels);
  tape.Record("diagonal_scan", {a, b, h0}, {h, last}, flops, [=](Tape<T>& t) {
    kernels::DiagonalScanBackward(shape, t.value(a), internal::ValueOrNull(t, h0), t.value(h),
                                  t.grad(h), t.grad(last), t.acc(a), t.acc(b), t.acc(h0), scratch);
  });
  return {h, last};
}

#define SSM_INSTANTIATE(T)                                                                  \
  template DiagonalScanOutputs<T> DiagonalScan(Tape<T>&, ScanField, Var<T>, Var<T>, Var<T>, \
                                               const Clock&, ScanCoefficient);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
