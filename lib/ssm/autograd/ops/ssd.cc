#include "ssm/autograd/ops/ssd.h"

#include <algorithm>
#include <cmath>

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/rows.h"
#include "ssm/kernels/ssd.h"

namespace ssm {
namespace {

using internal::GradOrNull;
using internal::ValueOrNull;

template <Scalar T>
struct Pass {
  SsdInputArguments<T> in;
  int64_t tokens = 0, heads = 0, raw_stride = 0, x_stride = 0;
  Var<T> log_decay, values;
  T* a = nullptr;

  kernels::SsdSteps<T> Steps(const Tape<T>& tape) const {
    return {heads,
            in.channels,
            a,
            tape.value(in.bias),
            static_cast<T>(in.low),
            static_cast<T>(in.high)};
  }
  T Time(const Tape<T>& tape, int64_t token) const {
    return in.dt ? in.dt_scale * tape.value(in.dt)[token] : in.dt_scale;
  }
  void Forward(Tape<T>& tape) const;
  void Backward(Tape<T>& tape) const;
};

template <Scalar T>
void Pass<T>::Forward(Tape<T>& tape) const {
  for (int64_t h = 0; h < heads; ++h) a[h] = std::exp(tape.value(in.log_a)[h]);
  const kernels::SsdSteps<T> steps = Steps(tape);
  for (int64_t t = 0; t < tokens; ++t) {
    kernels::SsdInput(steps, Time(tape, t), tape.value(in.raw) + t * raw_stride + in.first_raw,
                      tape.value(in.x) + t * x_stride, tape.out(log_decay) + t * heads,
                      tape.out(values) + t * heads * in.channels);
  }
}

template <Scalar T>
void Pass<T>::Backward(Tape<T>& tape) const {
  const kernels::SsdSteps<T> steps = Steps(tape);
  const T *gg = tape.grad(log_decay), *gv = tape.grad(values);
  T *g_raw = tape.acc(in.raw), *g_x = tape.acc(in.x);
  T *g_bias = tape.acc(in.bias), *g_log_a = tape.acc(in.log_a);
  for (int64_t t = 0; t < tokens; ++t) {
    const kernels::SsdGradients<T> gradients{
        g_raw == nullptr ? nullptr : g_raw + t * raw_stride + in.first_raw,
        g_x == nullptr ? nullptr : g_x + t * x_stride, g_bias, g_log_a};
    kernels::SsdInputBackward(
        steps, Time(tape, t), tape.value(in.raw) + t * raw_stride + in.first_raw,
        tape.value(in.x) + t * x_stride, gg == nullptr ? nullptr : gg + t * heads,
        gv == nullptr ? nullptr : gv + t * heads * in.channels, gradients);
  }
}

}  // namespace

template <Scalar T>
SsdInputOutputs<T> SsdInput(Tape<T>& tape, const SsdInputArguments<T>& arguments) {
  const Shape raw = tape.shape(arguments.raw), x = tape.shape(arguments.x);
  const int64_t heads = tape.shape(arguments.log_a)[0];
  SSM_CHECK(raw.rank() == 3 && x.rank() == 3 && raw[0] == x[0] && raw[1] == x[1] &&
                arguments.first_raw + heads <= raw[2] && heads * arguments.channels <= x[2] &&
                tape.shape(arguments.bias) == Shape({heads}),
            "the inputs of an SSD layer's steps disagree");
  Pass<T> pass{arguments, raw[0] * raw[1], heads, raw[2], x[2], {}, {}, tape.Floats(heads)};
  pass.log_decay = tape.New({raw[0], raw[1], heads});
  pass.values = tape.New({raw[0], raw[1], heads * arguments.channels});
  if (tape.Live()) pass.Forward(tape);
  const double numbers = static_cast<double>(pass.tokens * heads);
  tape.Record("ssd_input", {arguments.raw, arguments.x, arguments.log_a, arguments.bias},
              {pass.log_decay, pass.values},
              numbers * (60.0 + static_cast<double>(arguments.channels)),
              [pass](Tape<T>& t) { pass.Backward(t); });
  return {pass.log_decay, pass.values};
}

template <Scalar T>
Var<T> HeadSkip(Tape<T>& tape, Var<T> y, Var<T> x, Var<T> d) {
  const Shape shape = tape.shape(y);
  const int64_t tokens = shape[0] * shape[1], width = shape[2], heads = tape.shape(d)[0];
  const int64_t channels = width / heads, stride = tape.shape(x)[2];
  SSM_CHECK(heads * channels == width && width <= stride, "a head's skip of channels not there");
  const Var<T> z = tape.New(shape);
  if (tape.Live()) {
    std::copy_n(tape.value(y), shape.size(), tape.out(z));
    for (int64_t t = 0; t < tokens; ++t) {
      kernels::AddHeadSkip(heads, channels, tape.value(d), tape.value(x) + t * stride,
                           tape.out(z) + t * width);
    }
  }
  tape.Record("head_skip", {y, x, d}, {z}, 2.0 * static_cast<double>(shape.size()),
              [=](Tape<T>& t) {
                const T* gz = t.grad(z);
                T *gy = t.acc(y), *gx = t.acc(x), *gd = t.acc(d);
                if (gy != nullptr) kernels::Axpy(tokens * width, T{1}, gz, gy);
                for (int64_t i = 0; i < tokens; ++i, gz += width) {
                  if (gx != nullptr) {
                    kernels::AddHeadSkip(heads, channels, t.value(d), gz, gx + i * stride);
                  }
                  if (gd == nullptr) continue;
                  const T* from = t.value(x) + i * stride;
                  for (int64_t h = 0; h < heads; ++h) {
                    gd[h] += kernels::Dot(channels, gz + h * channels, from + h * channels);
                  }
                }
              });
  return z;
}

#define SSM_INSTANTIATE(T)                                                     \
  template SsdInputOutputs<T> SsdInput(Tape<T>&, const SsdInputArguments<T>&); \
  template Var<T> HeadSkip(Tape<T>&, Var<T>, Var<T>, Var<T>);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
