// Retention: linear attention with a fixed decay for each head.
#pragma once

#include "ssm/mixers/gated_matrix_mixer.h"

namespace ssm {

struct RetentionOptions;
template <Scalar T>
class Retention;

struct RetentionOptions final : public BuildsMixer<RetentionOptions, Retention> {
  int64_t heads = 4;
  int64_t expand_v = 2;
  double rotary_base = 10000;
  int64_t chunk = 64;

  void VisitFields(FieldVisitor& visitor) override;
  void CheckIn(const MixerContext& context, Faults& faults) const override;
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  MixerProperties Properties(const MixerContext& context) const override;
  GatedMatrixForm Form(const MixerContext& context) const;
};

/// Head h keeps 1 - 2^(-5-h) of its state a token: it forgets in 32, 64, 128, ... tokens. Queries
/// and keys of D / H channels are turned by their position (pairs i, i + d_key / 2), values have
/// expand_v times as many; each head is normalised with its mean taken out (group norm) and gated
/// (Sun et al. 2023). See GatedMatrixMixer for parameters, state and cost.
template <Scalar T>
class Retention final : public GatedMatrixMixer<T> {
 public:
  Retention(const RetentionOptions& options, const MixerContext& context,
            ParameterBuilder& parameters)
      : GatedMatrixMixer<T>(options.Form(context), context, parameters) {}
};

}  // namespace ssm
