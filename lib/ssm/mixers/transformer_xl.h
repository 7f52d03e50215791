// Transformer-XL's attention: segments, and a memory of the inputs before them.
#pragma once

#include <vector>

#include "ssm/kernels/relative_attention.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/nn/linear_layer.h"

namespace ssm {

struct TransformerXlOptions;
template <Scalar T>
class TransformerXl;

/// kSegment: all tokens of the own segment so far, and mem_len before it. kSameLength: the newest
/// mem_len tokens, the own counted.
enum class XlKeys { kSegment, kSameLength };

struct TransformerXlOptions final : public BuildsMixer<TransformerXlOptions, TransformerXl> {
  int64_t heads = 4;
  int64_t segment = 64, mem_len = 64;  // tokens
  XlKeys keys = XlKeys::kSegment;
  int64_t clamp_len = 0;  // tokens, 0: none

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  void CheckIn(const MixerContext& context, Faults& faults) const override;
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  MixerProperties Properties(const MixerContext& context) const override;

  kernels::KeyReach Reach() const;
  /// Inputs that the state keeps: of mem_len + segment - 1 tokens, or of mem_len - 1.
  int64_t Entries() const;
};

/// y_t = W_o a_t with, in each of H heads of D / H channels (Dai et al. 2019),
/// a_t = sum_j softmax_j(((q_t + u) . k_j + (q_t + v) . W_R R_{t-j}) / sqrt(D / H)) v_j,
/// q = W_q x, k = W_k x, v = W_v x and R the sinusoids of kernels::DistanceTable. Token t of a
/// sequence is of segment floor(t / segment) and sees what XlKeys says; no gradient flows into the
/// inputs of earlier segments, though W_k and W_v are trained on them. The memory is that of this
/// layer's inputs; the unfinished segment in it is differentiable, so passes may end anywhere.
/// u and v are this layer's own (published: shared by all layers), and there is no dropout on R.
/// Parameters qkv.weight [3 D, D], position.weight and output.weight [D, D] from U(+-1/sqrt(D)), u
/// and v [D] from N(0, 0.02). Slot inputs [D]: a ring. The time between tokens is not seen. With n
/// keys seen, a token costs 12 D^2 + 6 n D FLOPs, 4 D^2 of them for stopped keys; a step by the
/// stepper, which keeps no projected keys, 8 D^2 + 4 n H D.
template <Scalar T>
class TransformerXl final : public SequenceMixer<T> {
 public:
  TransformerXl(const TransformerXlOptions& options, const MixerContext& context,
                ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  int64_t PreparedCount() const override { return 1; }
  /// W_R R of every distance.
  void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const override;
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  int64_t d_model_, heads_, clamp_len_;
  kernels::KeyReach reach_;
  Param qkv_, kv_;  // kv: the rows of qkv that make keys and values
  LinearLayer position_, output_;
  Param u_, v_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
