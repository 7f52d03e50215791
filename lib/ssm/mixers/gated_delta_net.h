// Gated DeltaNet: a linear memory that both decays and corrects what it holds.
#pragma once

#include "ssm/mixers/delta_mixer.h"

namespace ssm {

struct GatedDeltaNetOptions;
template <Scalar T>
class GatedDeltaNet;

struct GatedDeltaNetOptions final : public BuildsMixer<GatedDeltaNetOptions, GatedDeltaNet> {
  DeltaOptions delta;
  DeltaGates gates;

  void VisitFields(FieldVisitor& visitor) override {
    delta.VisitFields(visitor);
    gates.dt.VisitFields(visitor);
  }
  void Check(Faults& faults) const override { gates.dt.Check(faults); }
  void CheckIn(const MixerContext& context, Faults& faults) const override {
    delta.CheckIn(context, faults);
  }
  MixerKind Kind() const override { return delta.Kind(); }
  MixerProperties Properties(const MixerContext& context) const override;
};

/// S = e^g S, S = S + beta k (v - S^T k)^T, y = W_o (norm(S^T q / sqrt(K)) SiLU(W_g x)) (Yang et
/// al. 2025). g = -e^A_log softplus(W_a x + dt_bias) dt, e^A_log ~ U(0, 16), softplus(dt_bias)
/// log-uniform in [dt_min, dt_max]; the time between tokens multiplies g alone. See DeltaMixer.
template <Scalar T>
class GatedDeltaNet final : public DeltaMixer<T> {
 public:
  GatedDeltaNet(const GatedDeltaNetOptions& options, const MixerContext& context,
                ParameterBuilder& parameters)
      : DeltaMixer<T>(options.delta, &options.gates, context, parameters) {}
};

}  // namespace ssm
