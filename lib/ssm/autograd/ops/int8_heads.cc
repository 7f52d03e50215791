#include "ssm/autograd/ops/int8_heads.h"

#include <algorithm>

#include "ssm/autograd/ops/shapes.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/int8_heads.h"
#include "ssm/kernels/rows.h"

namespace ssm {
template <Scalar T>
RoundedHeads<T> RoundHeads(Tape<T>& tape, Var<T> x, const Columns& columns, int64_t d_head) {
  const Shape in = tape.shape(x);
  const int64_t rows = RowCount(in), width = in.Back(0), first = columns.first;
  SSM_CHECK(first >= 0 && first + columns.width <= width && columns.width % d_head == 0,
            "heads are rounded that " + in.ToString() + " does not have");
  const kernels::Int8Shape shape{rows, width, columns.width / d_head, d_head};
  RoundedHeads<T> rounded;
  const Var<T> measured = tape.New(WithLast(in, shape.heads));
  if (tape.Live()) kernels::HeadScales(shape, tape.value(x) + first, tape.out(measured));
  rounded.scales = tape.Stop(measured);
  // The codes' own memory holds the rounding first.
  rounded.codes = tape.New(WithLast(in, columns.width));
  if (tape.Live()) {
    kernels::HeadRounding(shape, tape.value(x) + first, tape.value(rounded.scales),
                          tape.out(rounded.codes));
  }
  const Var<T> rounding = tape.Stop(rounded.codes);
  rounded.y = tape.New(in);
  if (tape.Live()) {
    const T *from = tape.value(x), *scales = tape.value(rounded.scales);
    T *codes = tape.out(rounded.codes), *y = tape.out(rounded.y);
    kernels::HeadCodes(shape, from + first, scales, tape.value(rounding), codes);
    std::copy_n(from, in.size(), y);
    kernels::HeadValues(shape, codes, scales, y + first);
  }
  const double flops = 6 * static_cast<double>(rows * columns.width);
  const Var<T> codes = rounded.codes, scales = rounded.scales, y = rounded.y;
  tape.Record("round_heads", {x}, {codes, y}, flops, [=](Tape<T>& t) {
    T* g_x = t.acc(x);
    if (g_x == nullptr) return;
    if (const T* g_codes = t.grad(codes)) {
      kernels::HeadCodesBackward(shape, t.value(scales), g_codes, g_x + first);
    }
    // d ((x / s + r) s) / dx = 1, and so it is for the other columns.
    if (const T* g_y = t.grad(y)) kernels::Axpy(rows * width, T{1}, g_y, g_x);
  });
  return rounded;
}

template <Scalar T>
Var<T> ScaleHeads(Tape<T>& tape, Var<T> codes, Var<T> scales) {
  const Shape in = tape.shape(codes);
  const int64_t width = in.Back(0), heads = tape.shape(scales).Back(0);
  SSM_CHECK(heads > 0 && width % heads == 0 && tape.shape(scales) == WithLast(in, heads),
            "codes " + in.ToString() + " meet scales " + tape.shape(scales).ToString());
  const kernels::Int8Shape shape{RowCount(in), width, heads, width / heads};
  const Var<T> y = tape.New(in);
  if (tape.Live()) {
    kernels::HeadValues(shape, tape.value(codes), tape.value(scales), tape.out(y));
  }
  tape.Record("scale_heads", {codes}, {y}, static_cast<double>(in.size()), [=](Tape<T>& t) {
    if (T* g_codes = t.acc(codes)) {
      kernels::HeadValuesBackward(shape, t.value(scales), t.grad(y), g_codes);
    }
  });
  return y;
}

#define SSM_INSTANTIATE(T)                                                        \
  template RoundedHeads<T> RoundHeads(Tape<T>&, Var<T>, const Columns&, int64_t); \
  template Var<T> ScaleHeads(Tape<T>&, Var<T>, Var<T>);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
