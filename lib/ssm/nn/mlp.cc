#include "ssm/nn/mlp.h"

#include "ssm/autograd/ops/gated.h"

namespace ssm {

Mlp::Mlp(ParameterBuilder parameters, int64_t channels, int64_t hidden, bool gated,
         kernels::Activation activation)
    : gated_(gated), activation_(activation) {
  if (gated) gate_ = LinearLayer(parameters.Scope("gate"), channels, hidden);
  in_ = LinearLayer(parameters.Scope("in"), channels, hidden);
  out_ = LinearLayer(parameters.Scope("out"), hidden, channels);
}

template <Scalar T>
Var<T> Mlp::Apply(Tape<T>& tape, Var<T> x) const {
  Var<T> hidden = in_.Apply(tape, x);
  hidden = gated_ ? GatedProduct(tape, activation_, gate_.Apply(tape, x), hidden)
                  : Activate(tape, activation_, hidden);
  return out_.Apply(tape, hidden);
}

template <Scalar T>
void Mlp::ApplyRows(const ParamView<T>& params, int64_t rows, const T* x, T* y, T* scratch) const {
  const int64_t n = rows * in_.out();
  T *hidden = scratch, *gate = scratch + n;
  in_.ApplyRows(params, rows, x, hidden);
  if (gated_) {
    gate_.ApplyRows(params, rows, x, gate);
    kernels::ApplyProduct(activation_, n, gate, hidden, hidden);
  } else {
    kernels::Apply(activation_, n, hidden, hidden);
  }
  out_.ApplyRows(params, rows, hidden, y);
}

#define SSM_INSTANTIATE(T)                            \
  template Var<T> Mlp::Apply(Tape<T>&, Var<T>) const; \
  template void Mlp::ApplyRows(const ParamView<T>&, int64_t, const T*, T*, T*) const;
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
