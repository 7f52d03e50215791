// What delta_net and gated_delta_net have in common: parameters, state, both faces.
#pragma once

#include <vector>

#include "ssm/autograd/ops/delta_rule.h"
#include "ssm/mixers/dt_range.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/nn/linear_layer.h"
#include "ssm/nn/norm_layer.h"

namespace ssm {

/// Fields both types have.
struct DeltaOptions {
  int64_t heads = 4;
  int64_t d_key = 0, d_value = 0;  // of a head; 0: d_model / heads
  int64_t beta_range = 1;
  int64_t d_conv = 4;  // taps; 1: none
  int64_t chunk = 64;  // tokens
  bool norm = true;

  void VisitFields(FieldVisitor& visitor);
  void CheckIn(const MixerContext& context, Faults& faults) const;
  MixerProperties Properties(const MixerContext& context) const;
  MixerKind Kind() const { return norm ? MixerKind::kNonlinear : MixerKind::kSelective; }

  int64_t Keys(const MixerContext& context) const { return Width(d_key, context); }
  int64_t Values(const MixerContext& context) const { return Width(d_value, context); }

 private:
  int64_t Width(int64_t given, const MixerContext& context) const {
    return given == 0 ? context.d_model / heads : given;
  }
};

/// What the gated type adds to it.
struct DeltaGates {
  DtRange dt;
  double largest_rate = 16;  // e^A_log starts uniform below it
};

/// Where a delta mixer's parameters lie, for its stepper.
struct DeltaParameters {
  DeltaRuleForm form;
  int64_t beta_range = 1;
  bool gated = false;
  LinearLayer qkv, beta, gate, output;
  NormLayer norm;               // of the output, head by head
  Param conv;                   // [H (2 K + V), taps]; rank 0: none
  Param decay, dt_bias, a_log;  // gated: [H, D], [H], [H]
};

/// Added to the squared length of keys and queries under the root.
inline constexpr double kUnitNormEps = 1e-6;

/// With q, k, v = SiLU(conv(W x)), q and k of unit length in each of H heads, beta = beta_range
/// sigmoid(W_beta x) and, if gated, g = -e^A_log softplus(W_a x + dt_bias) dt (else 0), the delta
/// rule of autograd/ops/delta_rule.h; its output, normalised head by head (RMS) and, if gated,
/// times SiLU(W_g x), goes through W_o. No biases but dt_bias, as published.
///
/// |k| < 1, so that 0 <= beta |k|^2 < 2 and no state grows by itself, whatever is learned.
/// beta_range 1 keeps the eigenvalues of S -> S - beta k k^T S in (0, 1], 2 in (-1, 1]: a head may
/// then change signs, which parities need (Grazzi et al. 2024).
///
/// Parameters qkv.weight [H (2 K + V), D], beta.weight [H, D], conv.weight [H (2 K + V), taps],
/// norm.weight [H V], output.weight [D, H V]; gated: decay.weight [H, D], dt_bias and A_log [H],
/// gate.weight [H V, D]. Slots S [H, K, V] and, with taps, a ring conv of d_conv - 1 tokens. Cost
/// of a token 2 D H (2 K + 2 V) + 6 H K V FLOPs and more with `chunk`: see kernels::CountDeltaRule.
template <Scalar T>
class DeltaMixer : public SequenceMixer<T> {
 public:
  /// `gates` null: not gated.
  DeltaMixer(const DeltaOptions& options, const DeltaGates* gates, const MixerContext& context,
             ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  DeltaParameters p_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
