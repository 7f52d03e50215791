// Elman's recurrent network with tanh.
#pragma once

#include "ssm/mixers/recurrent_mixer.h"

namespace ssm {

struct RnnOptions;
template <Scalar T>
class Rnn;

struct RnnOptions final : public BuildsMixer<RnnOptions, Rnn> {
  int64_t d_hidden = 0;  // 0: d_model

  void VisitFields(FieldVisitor& visitor) override;
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  MixerProperties Properties(const MixerContext& context) const override;
  RecurrentForm Form() const { return {RecurrentCell::kRnn, d_hidden}; }
};

/// h = tanh(W_ih x + b_ih + W_hh h + b_hh), y = h (Elman 1990; PyTorch's nn.RNN). See
/// RecurrentMixer for parameters, state and cost.
template <Scalar T>
class Rnn final : public RecurrentMixer<T> {
 public:
  Rnn(const RnnOptions& options, const MixerContext& context, ParameterBuilder& parameters)
      : RecurrentMixer<T>(options.Form(), context, parameters) {}
};

}  // namespace ssm
