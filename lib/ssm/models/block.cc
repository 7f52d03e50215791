#include "ssm/models/block.h"

#include <algorithm>

#include "ssm/autograd/ops/dropout.h"
#include "ssm/autograd/ops/gated.h"
#include "ssm/autograd/ops/tap.h"
#include "ssm/kernels/rows.h"

namespace ssm {
namespace {

/// Dropout sites of a layer: 0 and 1 are the block's, the rest a mixer's.
constexpr int64_t kSitesPerLayer = 16;

template <Scalar T>
std::unique_ptr<SequenceMixer<T>> BuildMixer(const MixerOptions& options,
                                             const MixerContext& context,
                                             ParameterBuilder parameters) {
  if constexpr (std::same_as<T, float>) {
    return options.BuildFloat(context, parameters);
  } else {
    return options.BuildDouble(context, parameters);
  }
}

}  // namespace

template <Scalar T>
Block<T>::Block(const BlockOptions& options, const MixerContext& context,
                const ParameterBuilder& parameters)
    : d_model_(context.d_model),
      layer_(context.layer),
      residual_(options.residual),
      has_mlp_(options.has_mlp),
      activation_(options.activation),
      output_kind_(options.output),
      dropout_(options.dropout),
      norm_(parameters.Scope("norm"), options.norm, d_model_),
      mixer_(BuildMixer<T>(*options.mixer, context, parameters.Scope("mixer"))) {
  if (output_kind_ != OutputKind::kNone) {
    const int64_t out = output_kind_ == OutputKind::kGlu ? 2 * d_model_ : d_model_;
    output_ = LinearLayer(parameters.Scope("output"), d_model_, out);
  }
  if (has_mlp_) {
    mlp_norm_ = NormLayer(parameters.Scope("mlp_norm"), options.norm, d_model_);
    mlp_ = Mlp(parameters.Scope("mlp"), d_model_, options.mlp.Hidden(d_model_), options.mlp.gated,
               options.mlp.activation);
  }
}

template <Scalar T>
Var<T> Block<T>::Project(Tape<T>& tape, Var<T> y) const {
  y = Activate(tape, activation_, y);
  if (output_kind_ == OutputKind::kNone) return y;
  y = output_.Apply(tape, y);
  return output_kind_ == OutputKind::kGlu ? Glu(tape, y) : y;
}

template <Scalar T>
Var<T> Block<T>::Drop(Tape<T>& tape, Var<T> y, const Inputs<T>& in, int64_t site) const {
  if (in.dropout.key == 0) return y;
  return ApplyDropout(tape, y, *in.clock,
                      {in.dropout.key, layer_ * kSitesPerLayer + site, in.dropout.row, dropout_});
}

template <Scalar T>
Outputs<T> Block<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                             Prepared<T> prepared, Want want, Array<T>* tap) const {
  Inputs<T> inner = in;
  inner.x = norm_.Apply(tape, in.x);
  if (tap != nullptr) inner.x = Tap<T>(tape, inner.x, tap, nullptr);
  inner.dropout.rate = in.dropout.key == 0 ? 0 : dropout_;
  const Outputs<T> mixed = mixer_->Forward(tape, inner, state, prepared, want);
  const Var<T> y = Drop(tape, Project(tape, mixed.y), in, 0);
  Var<T> x = residual_ ? Add(tape, in.x, y) : y;
  if (has_mlp_) {
    const Var<T> hidden = mlp_.Apply(tape, mlp_norm_.Apply(tape, x));
    x = Add(tape, x, Drop(tape, hidden, in, 1));
  }
  return {x, mixed.next};
}

template <Scalar T>
int64_t Block<T>::ScratchSize(int64_t rows) const {
  const int64_t mlp = has_mlp_ ? mlp_.ScratchSize(rows) : 0;
  return 2 * rows * d_model_ + std::max(2 * rows * d_model_, mlp);
}

template <Scalar T>
void Block<T>::ProjectRows(const ParamView<T>& params, int64_t rows, T* y, T* wide) const {
  const int64_t n = rows * d_model_;
  kernels::Apply(activation_, n, y, y);
  if (output_kind_ == OutputKind::kNone) return;
  output_.ApplyRows(params, rows, y, wide);
  if (output_kind_ == OutputKind::kLinear) {
    std::copy_n(wide, n, y);
    return;
  }
  for (int64_t i = 0; i < rows; ++i) {
    const T* row = wide + i * 2 * d_model_;
    kernels::ApplyProduct(ActivationKind::kSigmoid, d_model_, row + d_model_, row,
                          y + i * d_model_);
  }
}

template <Scalar T>
void Block<T>::StepRows(const ParamView<T>& params, int64_t rows, const StepInputs<T>& in,
                        std::span<Slot<T>> state, Stepper<T>& mixer, T* x, T* scratch) const {
  const int64_t n = rows * d_model_;
  T *normed = scratch, *y = scratch + n, *wide = scratch + 2 * n;
  norm_.ApplyRows(params, rows, x, normed);
  mixer.Step({normed, nullptr, in.dt, in.pos}, state, y);
  ProjectRows(params, rows, y, wide);
  if (residual_) {
    kernels::Axpy(n, T{1}, y, x);
  } else {
    std::copy_n(y, n, x);
  }
  if (has_mlp_) {
    mlp_norm_.ApplyRows(params, rows, x, normed);
    mlp_.ApplyRows(params, rows, normed, y, wide);
    kernels::Axpy(n, T{1}, y, x);
  }
}

template class Block<float>;
template class Block<double>;

}  // namespace ssm
