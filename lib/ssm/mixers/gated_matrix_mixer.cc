#include "ssm/mixers/gated_matrix_mixer.h"

#include <cmath>

#include "ssm/autograd/ops/gated.h"
#include "ssm/autograd/ops/matrix_state.h"
#include "ssm/autograd/ops/pointwise.h"
#include "ssm/autograd/ops/rotary.h"

namespace ssm {

kernels::MatrixStateShape GatedMatrixForm::StepShape() const {
  kernels::MatrixStateShape shape;
  shape.decay = rank > 0 ? kernels::MatrixDecay::kKey : kernels::MatrixDecay::kHead;
  shape.rows = shape.steps = 1;
  shape.heads = shape.groups = heads;
  shape.d_k = d_key;
  shape.d_v = d_value;
  shape.scale = 1 / std::sqrt(static_cast<double>(d_key));
  return shape;
}

MixerProperties GatedMatrixForm::Properties(const MixerContext& context) const {
  const double bound = 1 / std::sqrt(static_cast<double>(context.d_model));
  const double out = 1 / std::sqrt(static_cast<double>(values()));
  MixerProperties properties;
  properties.initial = {{"qkv.weight", -bound, bound},
                        {"gate.weight", -bound, bound},
                        {"norm.weight", 1, 1},
                        {"output.weight", -out, out}};
  if (rank > 0) {
    const double up = 1 / std::sqrt(static_cast<double>(rank));
    properties.initial.push_back({"decay_down.weight", -bound, bound});
    properties.initial.push_back({"decay_up.weight", -up, up});
    properties.initial.push_back({"decay_up.bias", -up, up});
  }
  properties.per_step_dt = false;
  properties.lengths = {chunk, 2 * chunk};
  return properties;
}

template <Scalar T>
GatedMatrixMixer<T>::GatedMatrixMixer(const GatedMatrixForm& form, const MixerContext& context,
                                      ParameterBuilder& parameters)
    : form_(form) {
  const int64_t d_model = context.d_model, keys = form.keys(), values = form.values();
  layers_.qkv = LinearLayer(parameters.Scope("qkv"), d_model, 2 * keys + values, false);
  layers_.gate = LinearLayer(parameters.Scope("gate"), d_model, values, false);
  layers_.norm = NormLayer(parameters.Scope("norm"), form.norm, values, form.heads);
  layers_.output = LinearLayer(parameters.Scope("output"), values, d_model, false);
  if (form.rank > 0) {
    layers_.decay_down = LinearLayer(parameters.Scope("decay_down"), d_model, form.rank, false);
    layers_.decay_up = LinearLayer(parameters.Scope("decay_up"), form.rank, keys);
  } else {
    fixed_ = Array<T>(Shape{form.heads});
    for (int64_t h = 0; h < form.heads; ++h) {
      fixed_[h] = static_cast<T>(std::log1p(-std::exp2(-5 - static_cast<double>(h))));
    }
  }
  slots_ = {{.name = "S", .entry = {form.heads, form.d_key, form.d_value}}};
}

template <Scalar T>
Var<T> GatedMatrixMixer<T>::LogDecays(Tape<T>& tape, Var<T> x) const {
  const Var<T> u = layers_.decay_up.Apply(tape, layers_.decay_down.Apply(tape, x));
  // log sigmoid(u) = -softplus(-u).
  const Var<T> loss = Activate(tape, Activation::kSoftplus, Scale(tape, u, T{-1}));
  return Scale(tape, loss, static_cast<T>(-1 / form_.temperature));
}

template <Scalar T>
Outputs<T> GatedMatrixMixer<T>::Forward(Tape<T>& tape, const Inputs<T>& in,
                                        std::span<const Var<T>> state, Prepared<T>,
                                        Want want) const {
  const Clock& clock = *in.clock;
  const kernels::MatrixStateShape shape = form_.StepShape();
  Var<T> qkv = layers_.qkv.Apply(tape, in.x);
  if (form_.rotary_base > 0) {
    qkv = Rotary(tape, qkv, 2 * form_.heads, form_.d_key, form_.rotary_base, clock);
  }
  MatrixStateArguments<T> a;
  a.decay = shape.decay;
  a.heads = a.groups = form_.heads;
  a.d_k = shape.d_k;
  a.d_v = shape.d_v;
  a.chunk = form_.chunk;
  a.scale = shape.scale;
  a.q = {qkv, 0};
  a.k = {qkv, form_.keys()};
  a.v = {qkv, 2 * form_.keys()};
  if (form_.rank > 0) a.log_decay = {LogDecays(tape, in.x), 0};
  if (form_.rank == 0) a.fixed = fixed_.data();
  if (!clock.fresh) a.before = state[0];
  const MatrixStateOutputs<T> mixed = MatrixState(tape, a, clock);
  const Var<T> gate = layers_.gate.Apply(tape, in.x);
  const Var<T> read =
      GatedProduct(tape, Activation::kSilu, gate, layers_.norm.Apply(tape, mixed.y));
  Outputs<T> outputs{layers_.output.Apply(tape, read), {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(1);
  outputs.next[0] = mixed.last;
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> GatedMatrixMixer<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                             T) const {
  return MakeGatedMatrixStepper<T>(form_, layers_, fixed_, batch, params);
}

template class GatedMatrixMixer<float>;
template class GatedMatrixMixer<double>;

}  // namespace ssm
