// Mamba-2: a matrix for each head as state, with one decay a head that each token chooses.
#pragma once

#include <limits>
#include <vector>

#include "ssm/kernels/matrix_state.h"
#include "ssm/mixers/dt_range.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/nn/linear_layer.h"
#include "ssm/nn/norm_layer.h"

namespace ssm {

struct Mamba2Options;
template <Scalar T>
class Mamba2;

struct Mamba2Options final : public BuildsMixer<Mamba2Options, Mamba2> {
  int64_t expand = 2;
  int64_t head_dim = 0;  // 0: the largest divisor of the inner channels up to 64
  int64_t d_state = 128;
  int64_t groups = 1;
  int64_t d_conv = 4;
  DtRange dt;
  double dt_floor = 1e-4;
  double dt_limit_min = 0, dt_limit_max = std::numeric_limits<double>::infinity();
  double a_min = 1, a_max = 16;
  int64_t chunk = 256;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  void CheckIn(const MixerContext& context, Faults& faults) const override;
  /// The norm behind the state leaves y no affine function of it.
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  MixerProperties Properties(const MixerContext& context) const override;
  /// Inner channels of one head.
  int64_t HeadDim(const MixerContext& context) const;
};

/// What both faces of a layer need.
struct Mamba2Form {
  int64_t heads = 1, channels = 1, groups = 1, d_state = 1, taps = 1, chunk = 256;
  double low = 0, high = 0;
  LinearLayer in, gate, out;
  NormLayer norm;
  Param conv_weight, conv_bias, dt_bias, log_a, d;

  int64_t inner() const { return heads * channels; }
  /// x, B and C, which the convolution sees.
  int64_t mixed() const { return inner() + 2 * groups * d_state; }
  /// For the stepper: one token.
  kernels::MatrixStateShape StepShape() const;
};

/// [x, B, C, r] = in_proj u; x, B, C = SiLU(conv(x, B, C)); dt = clamp(softplus(r + dt_bias)) times
/// the time between tokens; in each of E / P heads S_t = e^{-e^{A_log} dt} S_{t-1} + B (dt x)^T,
/// y = S^T C + D x, B and C being shared by the heads of a group; out = out_proj(RMS norm of each
/// group of y o SiLU(gate u)) (Dao and Gu 2024, where gate is the first part of in_proj).
/// E = expand D inner channels, P = head_dim or 64 at most, N = d_state, G = groups, H = E / P.
/// Initially e^{A_log} ~ U(a_min, a_max), D = 1, dt_bias the inverse softplus of a log-uniform dt,
/// linear maps and the convolution U(+-1/sqrt(fan in)).
/// Parameters in_proj.weight [E + 2 G N + H, D], gate.weight [E, D], conv1d.weight [E + 2 G N, K],
/// conv1d.bias, dt_bias, A_log and D [H], norm.weight [E], out_proj.weight [D, E]. Slots conv, a
/// ring of K - 1 inputs [E + 2 G N], and S [H, N, P]. Cost of a token 2 D (3 E + 2 G N) FLOPs and
/// the matrix state's.
template <Scalar T>
class Mamba2 final : public SequenceMixer<T> {
 public:
  Mamba2(const Mamba2Options& options, const MixerContext& context, ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  Mamba2Form form_;
  std::vector<SlotSpec> slots_;
};

/// Steps `batch` rows of slots conv and S.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeMamba2Stepper(const Mamba2Form& form, int64_t batch,
                                              ParamView<T> params, T dt_scale);

}  // namespace ssm
