#include "ssm/autograd/ops/causal_conv.h"

#include <algorithm>

#include "ssm/autograd/ops/cache_write.h"
#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/causal_conv.h"

namespace ssm {
namespace {

using internal::ValueOrNull;

template <Scalar T>
void CheckShapes(const Tape<T>& tape, Var<T> x, const Columns& columns, Var<T> weight, Var<T> bias,
                 Var<T> ring, const Clock& clock) {
  const Shape in = tape.shape(x), w = tape.shape(weight);
  const int64_t e = columns.width;
  SSM_CHECK(in == Shape({clock.B, clock.T, in.Back(0)}) && columns.first >= 0 &&
                columns.first + e <= in.Back(0),
            "a causal convolution reads columns of [B, T, W]");
  SSM_CHECK(w.rank() == 2 && w[0] == e && w[1] >= 1 && w[1] <= kernels::kMaxTaps,
            "the weight of a causal convolution is [channels, 1 .. 8 taps], not " + w.ToString());
  SSM_CHECK(!bias || tape.shape(bias) == Shape({e}), "the bias of a causal convolution is [E]");
  SSM_CHECK(ring ? tape.shape(ring) == Shape({clock.B, w[1] - 1, e}) : clock.fresh,
            "a causal convolution that continues needs its ring [B, taps - 1, channels]");
}

}  // namespace

template <Scalar T>
CausalConvOutputs<T> CausalConv(Tape<T>& tape, Var<T> x, const Columns& columns, Var<T> weight,
                                Var<T> bias, Var<T> ring, const Clock& clock, bool want_ring) {
  CheckShapes(tape, x, columns, weight, bias, ring, clock);
  const int64_t channels = columns.width, taps = tape.shape(weight)[1];
  const kernels::CausalConvShape shape{clock.B,       clock.T, tape.shape(x)[2], columns.first,
                                       columns.width, taps,    clock.pos.data()};
  const Var<T> y = tape.New({clock.B, clock.T, channels});
  T* packed = tape.Floats(taps * channels);
  T* g_packed = tape.mode() == Mode::kInfer ? nullptr : tape.Floats(taps * channels);
  if (tape.Live()) {
    kernels::PackTaps(channels, taps, tape.value(weight), packed);
    kernels::CausalConv<T>(shape, tape.value(x), ValueOrNull(tape, ring), packed,
                           ValueOrNull(tape, bias), tape.out(y));
  }
  const double flops = 2.0 * static_cast<double>(tape.shape(y).size()) * static_cast<double>(taps);
  tape.Record("causal_conv", {x, weight, bias, ring}, {y}, flops, [=](Tape<T>& t) {
    const T* g_y = t.grad(y);
    T* g_weight = t.acc(weight);
    if (g_weight != nullptr) std::fill_n(g_packed, taps * channels, T{0});
    kernels::CausalConvBackward<T>(shape, t.value(x), ValueOrNull(t, ring), packed, g_y,
                                   {t.acc(x), t.acc(ring), g_weight ? g_packed : nullptr});
    if (g_weight != nullptr) kernels::AddUnpackedTaps(channels, taps, g_packed, g_weight);
    if (T* g_bias = t.acc(bias)) kernels::CausalConvBiasBackward(shape, g_y, g_bias);
  });
  if (!want_ring) return {y, {}};
  return {y, RingWrite(tape, x, columns, ring, taps - 1, clock)};
}

#define SSM_INSTANTIATE(T)                                                                   \
  template CausalConvOutputs<T> CausalConv(Tape<T>&, Var<T>, const Columns&, Var<T>, Var<T>, \
                                           Var<T>, const Clock&, bool);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
