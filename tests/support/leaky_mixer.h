// The smallest mixer with a learned initial state: h_t = a_t h_{t-1} + x_t, y_t = h_t, for each
// channel alone. a_t = exp(-rate dt_t), rate = exp(log_rate); a gated one multiplies the rate by
// sigmoid(gate x_t), which makes it selective.
#pragma once

#include "ssm/mixers/mixer_options.h"

namespace ssm::test {

struct LeakyOptions;

template <Scalar T>
class LeakyMixer final : public SequenceMixer<T> {
 public:
  LeakyMixer(const LeakyOptions& options, const MixerContext& context, ParameterBuilder& builder);
  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  int64_t PreparedCount() const override { return 1; }
  void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const override;
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  class LeakyStepper;
  int64_t d_model_;
  std::vector<SlotSpec> slots_;
  Param log_rate_, start_, gate_;  // [D] each; gate_ is empty unless gated
};

struct LeakyOptions : BuildsMixer<LeakyOptions, LeakyMixer> {
  bool gated = false;
  void VisitFields(FieldVisitor& visitor) override;
  MixerKind Kind() const override;
  MixerProperties Properties(const MixerContext& context) const override;
};

}  // namespace ssm::test
