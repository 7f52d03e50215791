// Causal softmax attention with a key-value cache.
#pragma once

#include <memory>
#include <vector>

#include "ssm/mixers/attention_cache.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/nn/linear_layer.h"

namespace ssm {

struct AttentionOptions;
template <Scalar T>
class AttentionMixer;

enum class PositionKind { kNone, kRotary, kAlibi, kLearnedRelative };

struct AttentionOptions final : public BuildsMixer<AttentionOptions, AttentionMixer> {
  int64_t heads = 4;
  OneOf<CacheOptions> cache{CacheTypes(), "full"};
  PositionKind positions = PositionKind::kRotary;
  double rotary_base = 10000;
  int64_t max_distance = 128;

  void VisitFields(FieldVisitor& visitor) override;
  void CheckIn(const MixerContext& context, Faults& faults) const override;
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  MixerProperties Properties(const MixerContext& context) const override;
};

/// y = W_o a + b_o with q, k, v = W x + b and, in each of H heads of D / H channels,
/// a_t = sum_j softmax_j(q_t . k_j / sqrt(D / H) + bias) v_j over what the cache shows token t of
/// its own sequence, t itself included (Vaswani et al. 2017); see CacheTypes.
///
/// Positions are those of tokens in their own sequence, and a token that stays in a cache keeps its
/// own for ever, whatever was dropped between it and the query. rotary: q and k are turned by their
/// position before (Su et al. 2021; pairs i, i + d_head / 2), and cached turned. alibi: bias
/// -2^(-8 (h + 1) / H) (t - j) in head h (Press et al. 2022). learned_relative: bias
/// relative_bias[h, min(t - j, max_distance)] (after Shaw et al. 2018).
///
/// Parameters qkv.weight [3 D, D], qkv.bias [3 D], output.weight [D, D], output.bias [D], all from
/// U(+-1/sqrt(D)), and relative_bias [H, max_distance + 1] from 0. The time between tokens is not
/// seen. Cost of a token 8 D^2 + 4 D seen FLOPs.
template <Scalar T>
class AttentionMixer final : public SequenceMixer<T> {
 public:
  AttentionMixer(const AttentionOptions& options, const MixerContext& context,
                 ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return memory_->Slots(); }
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  AttentionView<T> View(Tape<T>& tape) const;

  AttentionHeads heads_;
  bool alibi_;
  Param relative_bias_;
  bool has_relative_bias_;
  LinearLayer qkv_, output_;
  std::shared_ptr<const AttentionMemory<T>> memory_;
};

}  // namespace ssm
