// h_t = a h_{t-1} + x_t, y_t = h_t, each channel with its own learned a.
#pragma once

#include "ssm/mixers/mixer_options.h"

namespace outside {

struct DecayOptions;

template <ssm::Scalar T>
class Decay final : public ssm::SequenceMixer<T> {
 public:
  Decay(const DecayOptions& options, const ssm::MixerContext& context,
        ssm::ParameterBuilder& parameters);
  const std::vector<ssm::SlotSpec>& Slots() const override { return slots_; }
  int64_t PreparedCount() const override { return 1; }
  void Prepare(ssm::Tape<T>& tape, int64_t longest, T dt_scale,
               ssm::Prepared<T> prepared) const override;
  ssm::Outputs<T> Forward(ssm::Tape<T>& tape, const ssm::Inputs<T>& in,
                          std::span<const ssm::Var<T>> state, ssm::Prepared<T> prepared,
                          ssm::Want want) const override;
  std::unique_ptr<ssm::Stepper<T>> MakeStepper(int64_t batch, ssm::ParamView<T> params,
                                               T dt_scale) const override;

 private:
  std::vector<ssm::SlotSpec> slots_;
  ssm::Param logit_a_;  // [D]; a = sigmoid(logit_a)
};

struct DecayOptions final : ssm::BuildsMixer<DecayOptions, Decay> {
  double tau_min = 1, tau_max = 100;  // tokens
  void VisitFields(ssm::FieldVisitor& visitor) override;
  void Check(ssm::Faults& faults) const override;
  ssm::MixerKind Kind() const override { return ssm::MixerKind::kTimeInvariant; }
  ssm::MixerProperties Properties(const ssm::MixerContext& context) const override;
};

}  // namespace outside
