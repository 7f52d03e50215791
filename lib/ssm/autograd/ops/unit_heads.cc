#include "ssm/autograd/ops/unit_heads.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/unit_heads.h"

namespace ssm {

template <Scalar T>
Var<T> UnitHeads(Tape<T>& tape, Var<T> x, int64_t heads, int64_t d_head, Var<T> scale) {
  const Shape in = tape.shape(x);
  const int64_t width = in.Back(0), scaled = scale ? tape.shape(scale).size() : 0;
  SSM_CHECK(heads * d_head <= width && scaled <= heads, "unit_heads reads groups of its columns");
  const kernels::UnitHeadsShape shape{in.size() / width, width, heads, d_head, scaled};
  const Var<T> y = tape.New(in);
  const auto factors = [=](const Tape<T>& t) { return internal::ValueOrNull(t, scale); };
  if (tape.Live()) kernels::UnitHeads(shape, tape.value(x), factors(tape), tape.out(y));
  tape.Record("unit_heads", {x, scale}, {y}, 4 * static_cast<double>(in.size()), [=](Tape<T>& t) {
    kernels::UnitHeadsBackward(shape, t.value(x), factors(t), t.grad(y), t.acc(x), t.acc(scale));
  });
  return y;
}

template Var<float> UnitHeads(Tape<float>&, Var<float>, int64_t, int64_t, Var<float>);
template Var<double> UnitHeads(Tape<double>&, Var<double>, int64_t, int64_t, Var<double>);

}  // namespace ssm
