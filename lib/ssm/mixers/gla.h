// Gated linear attention: a decay made from the input for each key channel.
#pragma once

#include "ssm/mixers/gated_matrix_mixer.h"

namespace ssm {

struct GlaOptions;
template <Scalar T>
class Gla;

struct GlaOptions final : public BuildsMixer<GlaOptions, Gla> {
  int64_t heads = 4;
  double expand_k = 0.5;
  int64_t rank = 16;
  double temperature = 16;
  int64_t chunk = 64;

  void VisitFields(FieldVisitor& visitor) override;
  void CheckIn(const MixerContext& context, Faults& faults) const override;
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  MixerProperties Properties(const MixerContext& context) const override;
  GatedMatrixForm Form(const MixerContext& context) const;
};

/// a = sigmoid(W_2 W_1 x + b)^(1 / temperature) for each key channel, W_1 of `rank` rows; expand_k
/// D / H keys and D / H values a head; each head is normalised by its root mean square and gated
/// (Yang et al. 2024). See GatedMatrixMixer for parameters, state and cost.
template <Scalar T>
class Gla final : public GatedMatrixMixer<T> {
 public:
  Gla(const GlaOptions& options, const MixerContext& context, ParameterBuilder& parameters)
      : GatedMatrixMixer<T>(options.Form(context), context, parameters) {}
};

}  // namespace ssm
