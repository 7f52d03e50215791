// What retention and gated linear attention have in common: parameters, state, both faces.
#pragma once

#include <vector>

#include "ssm/kernels/matrix_state.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/nn/linear_layer.h"
#include "ssm/nn/norm_layer.h"

namespace ssm {

/// A layer as its type's options describe it.
struct GatedMatrixForm {
  int64_t heads = 1, d_key = 1, d_value = 1;  // channels of one head
  int64_t chunk = 64;
  double rotary_base = 0;  // 0: no positions
  int64_t rank = 0;        // of what decays are made from x; 0: fixed decays, 1 - 2^(-5-h)
  double temperature = 1;  // root that is taken of made decays
  NormKind norm = NormKind::kRms;

  int64_t keys() const { return heads * d_key; }
  int64_t values() const { return heads * d_value; }
  /// For the stepper: one token.
  kernels::MatrixStateShape StepShape() const;
  MixerProperties Properties(const MixerContext& context) const;
};

/// The parameters of a GatedMatrixMixer.
struct GatedMatrixLayers {
  LinearLayer qkv, gate, output;
  LinearLayer decay_down, decay_up;  // with a rank
  NormLayer norm;
};

/// y = W_o (norm(o) o silu(W_g x)) with q, k, v = W x, S_t = diag(a_t) S_{t-1} + k_t v_t^T and o =
/// S^T q / sqrt(d_key) in each head; norm is of each head alone.
/// Parameters qkv.weight [2 H d_key + H d_value, D], gate.weight [H d_value, D], norm.weight and,
/// of layer norms, norm.bias [H d_value], output.weight [D, H d_value]; with a rank
/// decay_down.weight [rank, D], decay_up.weight [H d_key, rank] and decay_up.bias. Slot S [H,
/// d_key, d_value]. The time between tokens is not seen. Cost of a token 4 D H (d_key + d_value)
/// FLOPs and the matrix state's.
template <Scalar T>
class GatedMatrixMixer : public SequenceMixer<T> {
 public:
  GatedMatrixMixer(const GatedMatrixForm& form, const MixerContext& context,
                   ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  /// Logarithms of decays made from x.
  Var<T> LogDecays(Tape<T>& tape, Var<T> x) const;

  GatedMatrixForm form_;
  GatedMatrixLayers layers_;
  Array<T> fixed_;  // [H] logarithms; empty where decays are made
  std::vector<SlotSpec> slots_;
};

/// Steps `batch` rows of slot S. fixed [H]: logarithms of decays, or empty.
template <Scalar T>
std::unique_ptr<Stepper<T>> MakeGatedMatrixStepper(const GatedMatrixForm& form,
                                                   const GatedMatrixLayers& layers,
                                                   const Array<T>& fixed, int64_t batch,
                                                   ParamView<T> params);

}  // namespace ssm
