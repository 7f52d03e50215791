#include "ssm/nn/linear_layer.h"

#include "ssm/kernels/gemm.h"
#include "ssm/kernels/pointwise.h"
#include "ssm/nn/init.h"

namespace ssm {

LinearLayer::LinearLayer(ParameterBuilder parameters, int64_t in, int64_t out, bool bias,
                         LinearStart start)
    : has_bias_(bias) {
  const bool drawn = start == LinearStart::kDrawn;
  weight_ = parameters.Add("weight", {out, in}, drawn ? FanIn(in) : IdentityMap(in));
  if (bias) bias_ = parameters.Add("bias", {out}, drawn ? FanIn(in) : Zeros(), "default", false);
}

template <Scalar T>
Var<T> LinearLayer::Apply(Tape<T>& tape, Var<T> x) const {
  return Linear(tape, x, tape.Use(weight_), has_bias_ ? tape.Use(bias_) : Var<T>{}, by_);
}

template <Scalar T>
void LinearLayer::ApplyRows(const ParamView<T>& params, int64_t rows, const T* x, T* y) const {
  if (has_bias_) kernels::SpreadRows(rows, out(), params.values + bias_.offset, y);
  const auto product =
      by_ == LinearRows::kByRow ? kernels::GemmTransposedBByRow<T> : kernels::GemmTransposedB<T>;
  product(rows, out(), in(), x, params.values + weight_.offset, y,
          has_bias_ ? kernels::Write::kAdd : kernels::Write::kAssign);
}

#define SSM_INSTANTIATE(T)                                    \
  template Var<T> LinearLayer::Apply(Tape<T>&, Var<T>) const; \
  template void LinearLayer::ApplyRows(const ParamView<T>&, int64_t, const T*, T*) const;
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
