// Long short-term memory.
#pragma once

#include "ssm/mixers/recurrent_mixer.h"

namespace ssm {

struct LstmOptions;
template <Scalar T>
class Lstm;

struct LstmOptions final : public BuildsMixer<LstmOptions, Lstm> {
  int64_t d_hidden = 0;  // 0: d_model
  double forget_bias = 0;

  void VisitFields(FieldVisitor& visitor) override;
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  MixerProperties Properties(const MixerContext& context) const override;
  RecurrentForm Form() const { return {RecurrentCell::kLstm, d_hidden, forget_bias}; }
};

/// With a = W_ih x + b_ih + W_hh h + b_hh in blocks i, f, g, o: i, f, o = sigmoid(a), g =
/// tanh(a_g), c = f c + i g, h = o tanh(c), y = h (Hochreiter and Schmidhuber 1997, with the forget
/// gate of Gers et al. 2000; PyTorch's nn.LSTM). See RecurrentMixer for parameters, state and cost.
template <Scalar T>
class Lstm final : public RecurrentMixer<T> {
 public:
  Lstm(const LstmOptions& options, const MixerContext& context, ParameterBuilder& parameters)
      : RecurrentMixer<T>(options.Form(), context, parameters) {}
};

}  // namespace ssm
