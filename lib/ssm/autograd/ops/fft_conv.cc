#include "ssm/autograd/ops/fft_conv.h"

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/kernels/fft.h"
#include "ssm/kernels/fft_conv.h"

namespace ssm {
namespace {

template <class T>
double Flops(const kernels::ConvShape<T>& shape) {
  const double steps = static_cast<double>(shape.steps);
  const double rows = static_cast<double>(shape.rows);
  const double channels = static_cast<double>(shape.channels);
  if (shape.steps <= kernels::kDirectConvSteps) return rows * channels * steps * (steps + 1);
  const double n = static_cast<double>(kernels::GoodFftLength(2 * shape.steps - 1));
  return 5 * n * std::log2(n) * (rows + 1) * channels;
}

}  // namespace

template <Scalar T>
Var<T> FftConv(Tape<T>& tape, Var<T> x, Var<T> kernel) {
  const Shape in = tape.shape(x), taps = tape.shape(kernel);
  SSM_CHECK(in.rank() == 3 && taps.rank() == 2 && taps[0] == in[2] && taps[1] >= in[1],
            "a kernel " + taps.ToString() + " cannot be convolved with x " + in.ToString());
  const kernels::ConvShape<T> shape{in[0], in[1], in[2], taps[1]};
  const bool direct = shape.steps <= kernels::kDirectConvSteps;
  const Var<T> y = tape.New(in);
  T* scratch =
      tape.Floats(direct ? kernels::DirectConvScratch(shape) : kernels::FftConvScratch(shape));
  if (tape.Live()) {
    const auto run = direct ? kernels::DirectConv<T> : kernels::FftConv<T>;
    run(shape, tape.value(x), tape.value(kernel), tape.out(y), scratch);
  }
  tape.Record("fft_conv", {x, kernel}, {y}, Flops(shape), [=](Tape<T>& t) {
    const auto run = direct ? kernels::DirectConvBackward<T> : kernels::FftConvBackward<T>;
    run(shape, t.value(x), t.value(kernel), t.grad(y), t.acc(x), t.acc(kernel), scratch);
  });
  return y;
}

template Var<float> FftConv(Tape<float>&, Var<float>, Var<float>);
template Var<double> FftConv(Tape<double>&, Var<double>, Var<double>);

}  // namespace ssm
