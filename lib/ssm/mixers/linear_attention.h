// Linear attention: softmax replaced by products of features.
#pragma once

#include <vector>

#include "ssm/autograd/ops/feature_map.h"
#include "ssm/kernels/matrix_state.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/nn/linear_layer.h"
#include "ssm/nn/norm_layer.h"

namespace ssm {

struct LinearAttentionOptions;
template <Scalar T>
class LinearAttention;

/// The maps of kernels/feature_map.h, and exp.
enum class LinearFeatures { kEluPlusOne, kRelu, kSquaredRelu, kIdentity, kTaylor2, kExp };

struct LinearAttentionOptions final : public BuildsMixer<LinearAttentionOptions, LinearAttention> {
  int64_t heads = 4;
  int64_t d_key = 0;  // 0: d_model / heads
  LinearFeatures features = LinearFeatures::kEluPlusOne;
  bool normalised = true;
  double eps = 0;
  bool allow_signed = false;
  int64_t chunk = 64;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  void CheckIn(const MixerContext& context, Faults& faults) const override;
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  MixerProperties Properties(const MixerContext& context) const override;
};

/// What a linear attention's two faces share.
struct LinearAttentionForm {
  int64_t heads = 1, d_key = 1, d_value = 1, d_features = 1;
  bool exponential = false, normalised = true;
  FeatureMap map = FeatureMap::kIdentity;  // unless exponential
  double eps = 0;
  int64_t chunk = 64;
  LinearLayer qkv, output;
  NormLayer norm;  // of heads, unless normalised

  /// For the stepper: one token.
  kernels::MatrixStateShape StepShape() const;
};

/// y = W_o o + b_o with q, k, v = W x + b, d_key, d_key and D / H channels in each of H heads,
/// S_t = S_{t-1} + phi(k_t) v_t^T, z_t = z_{t-1} + phi(k_t) and o = S^T phi(q) / (z . phi(q) + eps)
/// (Katharopoulos et al. 2020); 0 where z . phi(q) is eps or less: a pass
/// counts these reads, "nothing_read", and all, "reads" (README: metrics.jsonl); a stepper does
/// not. Not normalised: o = RMS norm of each head of S^T phi(q) / sqrt(number of features). phi =
/// exp keeps sums referred to the largest key of each channel so far, which decays them: no
/// exponential overflows, and one channel's large key hides no other's.
/// Parameters qkv.weight [2 H d_key + D, D], qkv.bias, output.weight [D, D], output.bias [D], and
/// norm.weight [D] unless normalised. Slots S [H, features, D / H, and one column more, z, when
/// normalised], m [H d_key] for exp. The time between tokens is not seen. Cost of a token 2 D (2 H
/// d_key + 2 D) FLOPs and the matrix state's.
template <Scalar T>
class LinearAttention final : public SequenceMixer<T> {
 public:
  LinearAttention(const LinearAttentionOptions& options, const MixerContext& context,
                  ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  LinearAttentionForm form_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
