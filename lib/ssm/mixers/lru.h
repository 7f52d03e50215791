// The linear recurrent unit.
#pragma once

#include <vector>

#include "ssm/mixers/mixer_options.h"
#include "ssm/mixers/mode_mixer.h"

namespace ssm {

struct LruOptions;
template <Scalar T>
class Lru;

struct LruOptions final : public BuildsMixer<LruOptions, Lru> {
  int64_t d_state = 64;  // complex numbers
  double r_min = 0.9;
  double r_max = 0.999;
  double max_phase = 0.314;  // radians a token

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  MixerKind Kind() const override { return MixerKind::kTimeInvariant; }
  MixerProperties Properties(const MixerContext& context) const override;
};

/// h_t = lambda h_{t-1} + exp(gamma_log) B x_t, y_t = Re(C h_t) + D x_t with N complex modes,
/// lambda = exp(-exp(nu_log) + i exp(theta_log)) (Orvieto et al. 2023). Initially |lambda|^2 is
/// uniform in (r_min^2, r_max^2), the phase in (0, max_phase), gamma = sqrt(1 - |lambda|^2): white
/// input gives modes of one size. B and C complex normal of variance 1/H and 1/N, D ~ N(0, 1).
/// Parameters: nu_log, theta_log, gamma_log [N], B [N, H, 2], C [H, N, 2], D [H]. Slot h [N, 2]. A
/// model of steps: the time between tokens is not seen, and dt_scale changes nothing. Cost of a
/// token 8 N H FLOPs, in matrix products.
template <Scalar T>
class Lru final : public SequenceMixer<T> {
 public:
  Lru(const LruOptions& options, const MixerContext& context, ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  /// lambda - 1 and the two weights.
  int64_t PreparedCount() const override { return 3; }
  void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const override;
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;
  std::vector<LinearMode> Modes(ParamView<T> params, T dt_scale) const override;

 private:
  /// lambda as one step, over a time of 1, of continuous modes -exp(nu_log) + i exp(theta_log).
  DiagonalParameters<T> Continuous(Tape<T>& tape) const;

  Param nu_log_, theta_log_, gamma_log_, b_, c_, d_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
