// DeltaNet: a linear memory that corrects what it holds before it writes.
#pragma once

#include "ssm/mixers/delta_mixer.h"

namespace ssm {

struct DeltaNetOptions;
template <Scalar T>
class DeltaNet;

struct DeltaNetOptions final : public BuildsMixer<DeltaNetOptions, DeltaNet> {
  DeltaOptions delta;

  void VisitFields(FieldVisitor& visitor) override { delta.VisitFields(visitor); }
  void CheckIn(const MixerContext& context, Faults& faults) const override {
    delta.CheckIn(context, faults);
  }
  MixerKind Kind() const override { return delta.Kind(); }
  MixerProperties Properties(const MixerContext& context) const override {
    return delta.Properties(context);
  }
};

/// S = S + beta k (v - S^T k)^T, y = W_o norm(S^T q) (Schlag et al. 2021; Yang et al. 2024).
/// Nothing is forgotten but what a key replaces. The time between tokens is not seen. See
/// DeltaMixer.
template <Scalar T>
class DeltaNet final : public DeltaMixer<T> {
 public:
  DeltaNet(const DeltaNetOptions& options, const MixerContext& context,
           ParameterBuilder& parameters)
      : DeltaMixer<T>(options.delta, nullptr, context, parameters) {}
};

}  // namespace ssm
