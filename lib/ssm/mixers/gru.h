// Gated recurrent units.
#pragma once

#include "ssm/mixers/recurrent_mixer.h"

namespace ssm {

struct GruOptions;
template <Scalar T>
class Gru;

struct GruOptions final : public BuildsMixer<GruOptions, Gru> {
  int64_t d_hidden = 0;  // 0: d_model

  void VisitFields(FieldVisitor& visitor) override;
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  MixerProperties Properties(const MixerContext& context) const override;
  RecurrentForm Form() const { return {RecurrentCell::kGru, d_hidden}; }
};

/// With i = W_ih x + b_ih and p = W_hh h + b_hh in blocks r, z, n: r, z = sigmoid(i + p),
/// n = tanh(i_n + r p_n), h = (1 - z) n + z h, y = h (Cho et al. 2014 as PyTorch's nn.GRU has it:
/// the reset gate stands after the product, so that each n has two biases). See RecurrentMixer for
/// parameters, state and cost.
template <Scalar T>
class Gru final : public RecurrentMixer<T> {
 public:
  Gru(const GruOptions& options, const MixerContext& context, ParameterBuilder& parameters)
      : RecurrentMixer<T>(options.Form(), context, parameters) {}
};

}  // namespace ssm
