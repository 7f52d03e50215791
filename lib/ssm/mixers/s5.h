// S5: one diagonal state-space system for all channels.
#pragma once

#include <vector>

#include "ssm/autograd/ops/discretize_diagonal.h"
#include "ssm/mixers/dt_range.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/mixers/mode_mixer.h"

namespace ssm {

struct S5Options;
template <Scalar T>
class S5;

struct S5Options final : public BuildsMixer<S5Options, S5> {
  int64_t d_state = 64;  // real numbers: d_state / 2 conjugate pairs
  int64_t blocks = 1;
  DiscretizationRule rule = DiscretizationRule::kZoh;
  DtRange dt;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  MixerKind Kind() const override { return MixerKind::kTimeInvariant; }
  MixerProperties Properties(const MixerContext& context) const override;
  int64_t modes() const { return d_state / 2; }
};

/// x' = A x + B u, y = 2 Re(C x) + D u with P = d_state / 2 complex modes shared by H channels,
/// each with a step of its own (Smith, Warrington and Linderman 2023). A = -exp(log_A_real) + i
/// A_imag, so a mode cannot grow; the published layer trains Re A itself. Initially `blocks` copies
/// of the spectrum of HiPPO-LegS's normal part at order d_state / blocks, one of each pair; B and C
/// as that layer's after its change of basis, which is unitary: complex normal of variance
/// 1/d_state and 2/d_state. D ~ N(0, 1), log dt uniform. Parameters: log_dt, log_A_real, A_imag
/// [P], B [P, H, 2], C [H, P, 2], D [H]. Slot h [P, 2]. Cost of a token 8 P H FLOPs, in matrix
/// products; with a step for each token 60 P more.
template <Scalar T>
class S5 final : public SequenceMixer<T> {
 public:
  S5(const S5Options& options, const MixerContext& context, ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  /// A_bar - 1 and the two weights.
  int64_t PreparedCount() const override { return 3; }
  void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const override;
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;
  std::vector<LinearMode> Modes(ParamView<T> params, T dt_scale) const override;

 private:
  DiagonalParameters<T> Continuous(Tape<T>& tape, T dt_scale) const;

  DiscretizationRule rule_;
  Param log_dt_, log_a_real_, a_imag_, b_, c_, d_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
