// The smallest mixer with a ring: a causal depthwise convolution of K taps whose state is the last
// K - 1 inputs. y_t = sum_k w_k x_{t-k}, for each channel alone.
#pragma once

#include "ssm/mixers/mixer_options.h"

namespace ssm::test {

struct TailOptions;

template <Scalar T>
class TailMixer final : public SequenceMixer<T> {
 public:
  TailMixer(const TailOptions& options, const MixerContext& context, ParameterBuilder& builder);
  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  class TailStepper;
  int64_t d_model_, taps_;
  std::vector<SlotSpec> slots_;
  Param weight_;  // [K, D]
};

struct TailOptions : BuildsMixer<TailOptions, TailMixer> {
  int64_t taps = 4;
  void VisitFields(FieldVisitor& visitor) override;
  MixerKind Kind() const override { return MixerKind::kTimeInvariant; }
};

}  // namespace ssm::test
