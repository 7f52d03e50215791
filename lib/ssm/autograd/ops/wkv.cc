#include "ssm/autograd/ops/wkv.h"

#include <algorithm>

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/pointwise.h"
#include "ssm/kernels/wkv.h"

namespace ssm {
namespace {

using internal::GradOrNull;
using internal::ValueOrNull;

template <Scalar T>
void CheckShapes(const Tape<T>& tape, const WkvArguments<T>& a, const kernels::WkvShape& shape) {
  const Shape all{shape.rows, shape.steps, shape.channels}, one{shape.channels};
  const Shape state{shape.rows, shape.channels};
  SSM_CHECK(tape.shape(a.k) == all && tape.shape(a.v) == all,
            "keys " + tape.shape(a.k).ToString() + " and values " + tape.shape(a.v).ToString() +
                " of wkv are not " + all.ToString());
  SSM_CHECK(tape.shape(a.time_decay) == one && tape.shape(a.time_first) == one,
            "wkv has one time_decay and one time_first a channel");
  for (const Var<T> var : {a.mean, a.log_weight}) {
    SSM_CHECK(!var || tape.shape(var) == state, "the state of wkv is [B, D]");
  }
}

/// to = from, or zeros.
template <Scalar T>
T* Start(Tape<T>& tape, Var<T> from, Var<T> to) {
  const int64_t n = tape.shape(to).size();
  if (from) std::copy_n(tape.value(from), n, tape.out(to));
  if (!from) std::fill_n(tape.out(to), n, T{0});
  return tape.out(to);
}

/// gdecay += grate rate: rate = e^time_decay.
template <Scalar T>
void AddDecayGradient(int64_t channels, const T* grate, const T* rate, T* gdecay) {
#pragma omp simd
  for (int64_t c = 0; c < channels; ++c) gdecay[c] += grate[c] * rate[c];
}

}  // namespace

template <Scalar T>
WkvOutputs<T> Wkv(Tape<T>& tape, const WkvArguments<T>& arguments, const Clock& clock) {
  const WkvArguments<T> a = arguments;
  const Ints pos = clock.pos;
  const kernels::WkvShape shape{clock.B, clock.T, tape.shape(a.time_decay).size(), pos.data()};
  CheckShapes(tape, a, shape);
  const int64_t channels = shape.channels, numbers = shape.rows * shape.steps * channels;
  const Shape state{shape.rows, channels};
  const WkvOutputs<T> out{tape.New({shape.rows, shape.steps, channels}), tape.New(state),
                          tape.New(state)};
  T* rate = tape.Floats(channels);
  kernels::WkvMemory<T> before;
  T* scratch = nullptr;
  if (tape.mode() != Mode::kInfer) {
    before = {tape.Floats(numbers), tape.Floats(numbers)};
    scratch = tape.Floats(kernels::WkvBackwardScratch(channels) + channels);
  }
  if (tape.Live()) {
    kernels::WkvRates(channels, tape.value(a.time_decay), rate);
    const kernels::WkvMemory<T> memory{Start(tape, a.mean, out.mean),
                                       Start(tape, a.log_weight, out.log_weight)};
    kernels::Wkv<T>(shape, {rate, tape.value(a.time_first)}, tape.value(a.k), tape.value(a.v),
                    memory, tape.out(out.y), before);
  }
  using kernels::Activation;
  const double flops = kernels::ActivationFlops(Activation::kSigmoid) +
                       kernels::ActivationFlops(Activation::kSoftplus) + 16;
  const Var<T> ins[] = {a.k, a.v, a.time_decay, a.time_first, a.mean, a.log_weight};
  const Var<T> outs[] = {out.y, out.mean, out.log_weight};
  tape.Record("wkv", std::span<const Var<T>>(ins), std::span<const Var<T>>(outs),
              flops * static_cast<double>(numbers), [=](Tape<T>& t) {
                T* grate = scratch + kernels::WkvBackwardScratch(channels);
                std::fill_n(grate, channels, T{0});
                kernels::WkvBackward<T>(
                    shape, {rate, t.value(a.time_first)},
                    {t.value(a.k), t.value(a.v), {before.mean, before.log_weight}},
                    {t.grad(out.y), {t.grad(out.mean), t.grad(out.log_weight)}},
                    {t.acc(a.k),
                     t.acc(a.v),
                     grate,
                     t.acc(a.time_first),
                     {t.acc(a.mean), t.acc(a.log_weight)}},
                    scratch);
                if (T* gdecay = t.acc(a.time_decay)) {
                  AddDecayGradient(channels, grate, rate, gdecay);
                }
              });
  return out;
}

#define SSM_INSTANTIATE(T) \
  template WkvOutputs<T> Wkv(Tape<T>&, const WkvArguments<T>&, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
