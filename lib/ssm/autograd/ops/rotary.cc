#include "ssm/autograd/ops/rotary.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/kernels/rotary.h"

namespace ssm {
namespace {

/// Whether every row stands where row 0 does.
bool SamePositions(const Clock& clock) {
  const int64_t* first = clock.pos.data();
  for (int64_t b = 1; b < clock.B; ++b) {
    if (!std::equal(first, first + clock.T, first + b * clock.T)) return false;
  }
  return true;
}

}  // namespace

template <Scalar T>
Var<T> Rotary(Tape<T>& tape, Var<T> x, int64_t heads, int64_t d_head, double base,
              const Clock& clock) {
  const Shape in = tape.shape(x);
  SSM_CHECK(in == Shape({clock.B, clock.T, in.Back(0)}) && heads * d_head <= in.Back(0) &&
                d_head % 2 == 0,
            "rotary positions turn an even number of channels of [B, T, W]");
  const kernels::RotaryShape shape{clock.T, in.Back(0), heads, d_head};
  const int64_t rows = clock.B, table_size = clock.T * d_head;
  const int64_t table_stride = SamePositions(clock) ? 0 : table_size;
  const Var<T> y = tape.New(in);
  T* table = tape.Floats(table_stride == 0 ? table_size : rows * table_size);
  const int64_t row_size = clock.T * shape.width;
  if (tape.Live()) {
    for (int64_t b = 0; b < rows; ++b) {
      T* turns = table + b * table_stride;
      if (b == 0 || table_stride > 0) {
        kernels::RotaryTable(clock.T, d_head, clock.pos.data() + b * clock.T, base, turns);
      }
      kernels::Rotate(shape, turns, tape.value(x) + b * row_size, tape.out(y) + b * row_size);
    }
  }
  const double flops = 3 * static_cast<double>(rows * clock.T * heads * d_head);
  tape.Record("rotary", {x}, {y}, flops, [=](Tape<T>& t) {
    T* gx = t.acc(x);
    for (int64_t b = 0; b < rows && gx != nullptr; ++b) {
      kernels::RotateBackward(shape, table + b * table_stride, t.grad(y) + b * row_size,
                              gx + b * row_size);
    }
  });
  return y;
}

#define SSM_INSTANTIATE(T) \
  template Var<T> Rotary(Tape<T>&, Var<T>, int64_t, int64_t, double, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
