#include "ssm/mixers/recurrent_mixer.h"

#include <algorithm>
#include <cmath>

#include "ssm/autograd/ops/linear.h"
#include "ssm/mixers/recurrent_stepper.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

constexpr int64_t kMaxHidden = 1 << 16;

/// Adds `forget_bias` to what `init` gives the second of four gates.
Init WithForgetBias(Init init, int64_t hidden, double forget_bias) {
  return [=](std::span<double> values, Random& random) {
    init(values, random);
    for (double& value : values.subspan(static_cast<size_t>(hidden), static_cast<size_t>(hidden))) {
      value += forget_bias;
    }
  };
}

}  // namespace

int64_t RecurrentForm::Hidden(const MixerContext& context) const {
  return d_hidden == 0 ? context.d_model : d_hidden;
}

MixerProperties RecurrentForm::Properties(const MixerContext& context) const {
  const double bound = 1 / std::sqrt(static_cast<double>(Hidden(context)));
  MixerProperties properties;
  properties.initial = {
      {"weight_ih", -bound, bound},
      {"weight_hh", -bound, bound},
      {"bias_ih", -bound + std::min(forget_bias, 0.0), bound + std::max(forget_bias, 0.0)},
      {"bias_hh", -bound, bound}};
  properties.per_step_dt = false;
  return properties;
}

void VisitHidden(FieldVisitor& visitor, int64_t& d_hidden) {
  visitor.Int("d_hidden", d_hidden, {0, kMaxHidden},
              "numbers of hidden state, projected to d_model where they differ; 0: d_model");
}

template <Scalar T>
RecurrentMixer<T>::RecurrentMixer(const RecurrentForm& form, const MixerContext& context,
                                  ParameterBuilder& parameters)
    : cell_(form.cell), d_hidden_(form.Hidden(context)), projects_(d_hidden_ != context.d_model) {
  const int64_t width = kernels::GateCount(cell_) * d_hidden_;
  const bool has_c = cell_ == RecurrentCell::kLstm;
  const Init init = FanIn(d_hidden_);
  weight_ih_ = parameters.Add("weight_ih", {width, context.d_model}, init);
  weight_hh_ = parameters.Add("weight_hh", {width, d_hidden_}, init);
  bias_ih_ = parameters.Add("bias_ih", {width},
                            has_c ? WithForgetBias(init, d_hidden_, form.forget_bias) : init,
                            "default", false);
  bias_hh_ = parameters.Add("bias_hh", {width}, init, "default", false);
  if (projects_) output_ = LinearLayer(parameters.Scope("output"), d_hidden_, context.d_model);
  slots_ = {{.name = "h", .entry = Shape{d_hidden_}}};
  if (has_c) slots_.push_back({.name = "c", .entry = Shape{d_hidden_}});
}

template <Scalar T>
Outputs<T> RecurrentMixer<T>::Forward(Tape<T>& tape, const Inputs<T>& in,
                                      std::span<const Var<T>> state, Prepared<T>, Want want) const {
  const bool has_c = slots_.size() == 2, fresh = in.clock->fresh;
  const Var<T> from_x = Linear(tape, in.x, tape.Use(weight_ih_), tape.Use(bias_ih_));
  const RecurrentOutputs<T> out =
      RecurrentScan(tape, cell_, from_x, tape.Use(weight_hh_), tape.Use(bias_hh_),
                    fresh ? Var<T>{} : state[0], fresh || !has_c ? Var<T>{} : state[1], *in.clock);
  Outputs<T> outputs{projects_ ? output_.Apply(tape, out.y) : out.y, {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(has_c ? 2 : 1);
  outputs.next[0] = out.h;
  if (has_c) outputs.next[1] = out.c;
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> RecurrentMixer<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                           T) const {
  return MakeRecurrentStepper<T>(
      {cell_, projects_ ? &output_ : nullptr, weight_ih_, weight_hh_, bias_ih_, bias_hh_}, batch,
      params);
}

template class RecurrentMixer<float>;
template class RecurrentMixer<double>;

}  // namespace ssm
