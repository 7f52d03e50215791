#include "ssm/autograd/ops/dense_scan.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/autograd/ops/last_state.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/dense_scan.h"

namespace ssm {

template <Scalar T>
DenseScanOutputs<T> DenseScan(Tape<T>& tape, Var<T> a_minus_1, Var<T> u, Var<T> h0,
                              const Clock& clock) {
  const Shape matrix = tape.shape(a_minus_1), all = tape.shape(u);
  SSM_CHECK((matrix.rank() == 2 || matrix.rank() == 3) && matrix.Back(0) == matrix.Back(1),
            "A - 1 of a dense scan is [N, N] or [G, N, N], not " + matrix.ToString());
  const Shape one(matrix.begin(), matrix.rank() - 1), state = one.Prepend(clock.B);
  SSM_CHECK(all == one.Prepend(clock.T).Prepend(clock.B),
            "A - 1 " + matrix.ToString() + " does not fit an input " + all.ToString());
  SSM_CHECK(!h0 || tape.shape(h0) == state, "a dense scan's state is " + state.ToString());
  const Ints pos = clock.pos;
  const int64_t n = matrix.Back(0);
  const kernels::DenseScanShape shape{clock.B, clock.T, matrix.rank() == 3 ? matrix[0] : 1, n,
                                      pos.data()};
  const Var<T> h = tape.New(all), last = tape.New(state);
  T* packed = tape.Floats(kernels::DenseScanPackedSize<T>(shape));
  T* scratch = tape.Floats(kernels::DenseScanScratch<T>(shape));
  T* back = nullptr;
  if (tape.mode() != Mode::kInfer) back = tape.Floats(kernels::DenseScanBackwardScratch<T>(shape));
  if (tape.Live()) {
    const T* start = internal::ValueOrNull(tape, h0);
    kernels::PackDenseScan(shape, tape.value(a_minus_1), packed);
    kernels::DenseScan(shape, static_cast<const T*>(packed), tape.value(u), start, tape.out(h),
                       scratch);
    internal::CopyLastState(shape.rows, shape.steps, shape.width(), tape.value(h), start,
                            tape.out(last));
  }
  const double flops =
      2 * static_cast<double>(clock.B * clock.T) * static_cast<double>(matrix.size());
  tape.Record("dense_scan", {a_minus_1, u, h0}, {h, last}, flops, [=](Tape<T>& t) {
    kernels::DenseScanBackward(shape, t.value(a_minus_1), internal::ValueOrNull(t, h0), t.value(h),
                               t.grad(h), t.grad(last), t.acc(a_minus_1), t.acc(u), t.acc(h0),
                               back);
  });
  return {h, last};
}

#define SSM_INSTANTIATE(T) \
  template DenseScanOutputs<T> DenseScan(Tape<T>&, Var<T>, Var<T>, Var<T>, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
