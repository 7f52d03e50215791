// RWKV-4's feed-forward layer, which sees one token back.
#pragma once

#include <vector>

#include "ssm/mixers/mixer_options.h"
#include "ssm/mixers/rwkv4_init.h"
#include "ssm/mixers/shifted_linear.h"

namespace ssm {

struct Rwkv4ChannelMixOptions;
template <Scalar T>
class Rwkv4ChannelMix;

struct Rwkv4ChannelMixOptions final : public BuildsMixer<Rwkv4ChannelMixOptions, Rwkv4ChannelMix> {
  double expand = 4;
  Rwkv4Start start;

  void VisitFields(FieldVisitor& visitor) override;
  void CheckIn(const MixerContext& context, Faults& faults) const override;
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  MixerProperties Properties(const MixerContext& context) const override;
  /// Hidden width at a given d_model.
  int64_t Hidden(int64_t d_model) const;
};

/// y = sigmoid(W_r x^r_t) W_v max(W_k x^k_t, 0)^2, x^k and x^r mixtures mu x_t + (1 - mu) x_{t-1}
/// (Peng et al. 2023, as RWKV-v4neo has it). Parameters under the published names: time_mix_k,
/// time_mix_r [D], key.weight [H, D], receptance.weight [D, D], value.weight [D, H] with
/// H = expand D, no biases; initial values as published, with depths counted over the layers of
/// this type. Slot x [D], the token before. Weight decay applies to the matrices alone. The time
/// between tokens is not seen. Cost of a token 2 D^2 + 4 D H FLOPs.
template <Scalar T>
class Rwkv4ChannelMix final : public SequenceMixer<T> {
 public:
  Rwkv4ChannelMix(const Rwkv4ChannelMixOptions& options, const MixerContext& context,
                  ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  ShiftedLinear key_, receptance_;
  Param value_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
