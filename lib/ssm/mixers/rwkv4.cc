#include "ssm/mixers/rwkv4.h"

#include <cmath>

#include "ssm/autograd/ops/gated.h"
#include "ssm/autograd/ops/linear.h"
#include "ssm/autograd/ops/wkv.h"
#include "ssm/mixers/rwkv4_stepper.h"

namespace ssm {
namespace {

/// Indices of the slots.
enum : size_t { kToken, kMean, kLogWeight };

}  // namespace

MixerProperties Rwkv4Options::Properties(const MixerContext& context) const {
  const double offset = 0.3 * Rwkv4Depth(context).rising;
  MixerProperties properties;
  properties.initial = {{"time_decay", -5, 3},
                        {"time_first", std::log(0.3) - 0.5, std::log(0.3) + 0.5},
                        {"time_mix_k", 0, 1},
                        {"time_mix_v", offset, 1 + offset},
                        {"time_mix_r", 0, 1}};
  if (start.zero_init) {
    for (const char* matrix : {"key.weight", "receptance.weight", "output.weight"}) {
      properties.initial.push_back({matrix, 0, 0});
    }
  }
  properties.per_step_dt = false;
  return properties;
}

template <Scalar T>
Rwkv4<T>::Rwkv4(const Rwkv4Options& options, const MixerContext& context,
                ParameterBuilder& parameters) {
  const int64_t d = context.d_model;
  const Rwkv4Depth depth(context);
  const Init drawn = Rwkv4Weight(d, d), zero = options.start.ZeroOr(drawn);
  const auto vector = [&](const char* name, const Init& init, const char* group = "default") {
    return parameters.Add(name, {d}, init, group, false);
  };
  const auto matrix = [&](const char* name, const Init& init) {
    return parameters.Scope(name).Add("weight", {d, d}, init);
  };
  time_decay_ = vector("time_decay", Rwkv4TimeDecay(depth), "ssm");
  time_first_ = vector("time_first", Rwkv4TimeFirst());
  key_.mix = vector("time_mix_k", Rwkv4TimeMix(depth.falling));
  value_.mix = vector("time_mix_v", Rwkv4TimeMix(depth.falling, 0.3 * depth.rising));
  receptance_.mix = vector("time_mix_r", Rwkv4TimeMix(depth.falling / 2));
  key_.weight = matrix("key", zero);
  value_.weight = matrix("value", drawn);
  receptance_.weight = matrix("receptance", zero);
  output_ = matrix("output", zero);
  slots_ = {
      ShiftSlot(d), {.name = "mean", .entry = Shape{d}}, {.name = "log_weight", .entry = Shape{d}}};
}

template <Scalar T>
Outputs<T> Rwkv4<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                             Prepared<T>, Want want) const {
  const Clock& clock = *in.clock;
  const auto before = [&](size_t slot) { return clock.fresh ? Var<T>{} : state[slot]; };
  const Var<T> tail = before(kToken);
  const Var<T> r = receptance_.Apply(tape, in.x, tail, clock);
  const WkvOutputs<T> wkv =
      Wkv<T>(tape,
             {key_.Apply(tape, in.x, tail, clock), value_.Apply(tape, in.x, tail, clock),
              tape.Use(time_decay_), tape.Use(time_first_), before(kMean), before(kLogWeight)},
             clock);
  const Var<T> gated = GatedProduct(tape, Activation::kSigmoid, r, wkv.y);
  Outputs<T> outputs{Linear(tape, gated, tape.Use(output_)), {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(3);
  outputs.next[kToken] = NextShift(tape, in.x, tail, clock);
  outputs.next[kMean] = wkv.mean;
  outputs.next[kLogWeight] = wkv.log_weight;
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> Rwkv4<T>::MakeStepper(int64_t batch, ParamView<T> params, T) const {
  return MakeRwkv4Stepper<T>({time_decay_, time_first_, output_, key_, value_, receptance_}, batch,
                             params);
}

template class Rwkv4<float>;
template class Rwkv4<double>;

}  // namespace ssm
