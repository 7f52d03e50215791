// Mamba: a diagonal state-space layer whose step, input and output each token chooses.
#pragma once

#include <vector>

#include "ssm/autograd/ops/selective_scan.h"
#include "ssm/autograd/ops/step_sizes.h"
#include "ssm/mixers/dt_range.h"
#include "ssm/mixers/mixer_options.h"

namespace ssm {

struct MambaOptions;
template <Scalar T>
class Mamba;

struct MambaOptions final : public BuildsMixer<MambaOptions, Mamba> {
  int64_t expand = 2;
  int64_t d_state = 16;
  int64_t d_conv = 4;
  int64_t dt_rank = 0;  // 0: d_model / 16, rounded up
  WriteRule rule = WriteRule::kEuler;
  Eigenvalues eigenvalues = Eigenvalues::kPositive;
  bool complex = false;
  bool selective = true;
  DtRange dt;
  double dt_floor = 1e-4;
  StepLimits limits;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  /// Without selection too the convolution's SiLU and the gate leave no superposition.
  MixerKind Kind() const override { return MixerKind::kSelective; }
  MixerProperties Properties(const MixerContext& context) const override;

  /// Conjugate pairs, or real modes.
  int64_t modes() const { return complex ? d_state / 2 : d_state; }
  int64_t rank(const MixerContext& context) const;
};

/// What both faces of a layer need.
template <Scalar T>
struct MambaForm {
  int64_t channels = 0, modes = 0, rank = 0, taps = 0;
  kernels::SelectiveForm scan;
  StepLimits limits;
  Param in_proj, conv_weight, conv_bias, x_proj, dt_weight, dt_bias, a_log, a_imag, b, c, d,
      out_proj;
};

/// [x, z] = in_proj u; x = SiLU(conv(x)); [r, B, C] = x_proj x; dt = softplus(dt_proj r), clamped;
/// the selective scan of autograd/ops/selective_scan.h in each of E = expand d_model channels with
/// its skip D; y = out_proj(scan SiLU(z)) (Gu and Dao 2023). The time between tokens multiplies dt
/// after the clamp. Not selective: dt, B and C are learned constants of each channel, as S4D's, in
/// about as many parameters; everything else stays.
/// Initially A = -(1 .. N) in each channel, complex -1/2 + i pi n; D = 1; dt_proj.weight
/// U(+-rank^(-1/2)), dt_proj.bias the inverse softplus of a log-uniform dt; linear maps and the
/// convolution U(+-1/sqrt(fan in)), out_proj divided by sqrt(layers); fixed B 1, C N(0, 1), of
/// variance 1/2 a part where complex.
/// Parameters, named as published: in_proj.weight [2 E, D], conv1d.weight [E, K], conv1d.bias [E],
/// x_proj.weight [R + 2 N, E], dt_proj.weight [E, R], dt_proj.bias [E], A_log [E, N], D [E],
/// out_proj.weight [D, E]; complex A_log and A_imag [E, N/2]; not selective: B and C [E, N] or
/// [E, N/2, 2] for x_proj and dt_proj.weight. Slots: conv, a ring of K - 1 inputs [E]; h [N, E] or
/// [N/2, 2, E]. Cost of a token 6 D E + 2 E (2 R + 2 N + K) + 24 E N FLOPs.
template <Scalar T>
class Mamba final : public SequenceMixer<T> {
 public:
  Mamba(const MambaOptions& options, const MixerContext& context, ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;
  /// At the steps that the clamp allows, between tokens one step apart. NaN for a clamp that lets
  /// steps reach 0.
  double DecayBound(ParamView<T> params, T dt_scale) const override;

 private:
  /// What steps are made from and what tokens write and read by, given the convolved input.
  struct Choices {
    Var<T> raw_dt;
    SelectiveReads<T> reads;
  };
  Choices Choose(Tape<T>& tape, Var<T> x) const;

  MambaForm<T> form_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
