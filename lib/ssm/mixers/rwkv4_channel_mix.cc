#include "ssm/mixers/rwkv4_channel_mix.h"

#include <cmath>

#include "ssm/autograd/ops/gated.h"
#include "ssm/autograd/ops/linear.h"
#include "ssm/autograd/ops/pointwise.h"
#include "ssm/mixers/rwkv4_stepper.h"

namespace ssm {
namespace {

constexpr double kMaxExpand = 64;

}  // namespace

void Rwkv4ChannelMixOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Real("expand", expand, {.min = 0, .max = kMaxExpand, .open_min = true},
               "hidden width as a multiple of d_model, rounded");
  start.VisitFields(visitor);
}

int64_t Rwkv4ChannelMixOptions::Hidden(int64_t d_model) const {
  return std::llround(expand * static_cast<double>(d_model));
}

void Rwkv4ChannelMixOptions::CheckIn(const MixerContext& context, Faults& faults) const {
  if (Hidden(context.d_model) >= 1) return;
  faults.Add("expand", "the hidden width, expand * d_model rounded, is 0; it must be at least 1");
}

MixerProperties Rwkv4ChannelMixOptions::Properties(const MixerContext&) const {
  MixerProperties properties;
  properties.initial = {{"time_mix_k", 0, 1}, {"time_mix_r", 0, 1}};
  if (start.zero_init) {
    for (const char* matrix : {"receptance.weight", "value.weight"}) {
      properties.initial.push_back({matrix, 0, 0});
    }
  }
  properties.per_step_dt = false;
  return properties;
}

template <Scalar T>
Rwkv4ChannelMix<T>::Rwkv4ChannelMix(const Rwkv4ChannelMixOptions& options,
                                    const MixerContext& context, ParameterBuilder& parameters) {
  const int64_t d = context.d_model, hidden = options.Hidden(d);
  const Init mix = Rwkv4TimeMix(Rwkv4Depth(context).falling);
  const Rwkv4Start& start = options.start;
  const auto matrix = [&](const char* name, int64_t out, int64_t in, const Init& init) {
    return parameters.Scope(name).Add("weight", {out, in}, init);
  };
  key_.mix = parameters.Add("time_mix_k", {d}, mix, "default", false);
  receptance_.mix = parameters.Add("time_mix_r", {d}, mix, "default", false);
  key_.weight = matrix("key", hidden, d, Rwkv4Weight(hidden, d));
  receptance_.weight = matrix("receptance", d, d, start.ZeroOr(Rwkv4Weight(d, d)));
  value_ = matrix("value", d, hidden, start.ZeroOr(Rwkv4Weight(d, hidden)));
  slots_ = {ShiftSlot(d)};
}

template <Scalar T>
Outputs<T> Rwkv4ChannelMix<T>::Forward(Tape<T>& tape, const Inputs<T>& in,
                                       std::span<const Var<T>> state, Prepared<T>,
                                       Want want) const {
  const Clock& clock = *in.clock;
  const Var<T> tail = clock.fresh ? Var<T>{} : state[0];
  const Var<T> hidden =
      Activate(tape, Activation::kSquaredRelu, key_.Apply(tape, in.x, tail, clock));
  const Var<T> value = Linear(tape, hidden, tape.Use(value_));
  const Var<T> r = receptance_.Apply(tape, in.x, tail, clock);
  Outputs<T> outputs{GatedProduct(tape, Activation::kSigmoid, r, value), {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(1);
  outputs.next[0] = NextShift(tape, in.x, tail, clock);
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> Rwkv4ChannelMix<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                            T) const {
  return MakeRwkv4ChannelStepper<T>({key_, receptance_, value_}, batch, params);
}

template class Rwkv4ChannelMix<float>;
template class Rwkv4ChannelMix<double>;

}  // namespace ssm
