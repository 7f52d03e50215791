#include "ssm/nn/norm_layer.h"

#include <algorithm>

#include "ssm/autograd/ops/layer_norm.h"
#include "ssm/autograd/ops/rms_norm.h"
#include "ssm/kernels/norm.h"
#include "ssm/nn/init.h"

namespace ssm {

NormLayer::NormLayer(ParameterBuilder parameters, NormKind kind, int64_t channels, int64_t groups)
    : kind_(kind), channels_(channels), groups_(groups) {
  if (kind != NormKind::kNone) {
    weight_ = parameters.Add("weight", {channels}, Ones(), "default", false);
  }
  if (kind == NormKind::kLayer) {
    bias_ = parameters.Add("bias", {channels}, Zeros(), "default", false);
  }
}

template <Scalar T>
Var<T> NormLayer::Apply(Tape<T>& tape, Var<T> x) const {
  switch (kind_) {
    case NormKind::kLayer:
      return LayerNorm(tape, x, tape.Use(weight_), tape.Use(bias_), groups_);
    case NormKind::kRms:
      return RmsNorm(tape, x, tape.Use(weight_), groups_);
    case NormKind::kNone:
      break;
  }
  return x;
}

template <Scalar T>
void NormLayer::ApplyRows(const ParamView<T>& params, int64_t rows, const T* x, T* y) const {
  const T* weight = params.values + weight_.offset;
  T* const unsaved = nullptr;
  switch (kind_) {
    case NormKind::kLayer:
      kernels::LayerNorm(rows, channels_, x, weight, params.values + bias_.offset, y, unsaved,
                         unsaved, groups_);
      break;
    case NormKind::kRms:
      kernels::RmsNorm(rows, channels_, x, weight, y, unsaved, groups_);
      break;
    case NormKind::kNone:
      if (x != y) std::copy_n(x, rows * channels_, y);
      break;
  }
}

#define SSM_INSTANTIATE(T)                                  \
  template Var<T> NormLayer::Apply(Tape<T>&, Var<T>) const; \
  template void NormLayer::ApplyRows(const ParamView<T>&, int64_t, const T*, T*) const;
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
