// RWKV-4's time mixing.
#pragma once

#include <vector>

#include "ssm/mixers/mixer_options.h"
#include "ssm/mixers/rwkv4_init.h"
#include "ssm/mixers/shifted_linear.h"

namespace ssm {

struct Rwkv4Options;
template <Scalar T>
class Rwkv4;

struct Rwkv4Options final : public BuildsMixer<Rwkv4Options, Rwkv4> {
  Rwkv4Start start;

  void VisitFields(FieldVisitor& visitor) override { start.VisitFields(visitor); }
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  MixerProperties Properties(const MixerContext& context) const override;
};

/// y = W_o (sigmoid(r) wkv(k, v)) (Peng et al. 2023, as RWKV-v4neo has it): k, v and r are linear
/// maps of mu x_t + (1 - mu) x_{t-1}, each with a mu [D] of its own; in each channel wkv is the
/// mean of v over the past with weights e^(k_i - (t - 1 - i) e^time_decay), and v_t with weight
/// e^(time_first + k_t) (see Wkv). Parameters under the published names: time_decay, time_first,
/// time_mix_k, time_mix_v, time_mix_r [D], key.weight, value.weight, receptance.weight,
/// output.weight [D, D], no biases; initial values as published, with depths counted over the
/// layers of this type. Slots x (the token before), mean and log_weight [D]: 3 D numbers, which
/// say what the published x, p, q, o do. Weight decay applies to the matrices alone. The time
/// between tokens is not seen. Cost of a token 8 D^2 + O(D) FLOPs.
template <Scalar T>
class Rwkv4 final : public SequenceMixer<T> {
 public:
  Rwkv4(const Rwkv4Options& options, const MixerContext& context, ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  Param time_decay_, time_first_, output_;
  ShiftedLinear key_, value_, receptance_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
