// The Block-Recurrent Transformer's attention: a sliding window, and states that blocks update.
#pragma once

#include <vector>

#include "ssm/autograd/ops/block_recurrence.h"
#include "ssm/kernels/relative_attention.h"
#include "ssm/mixers/block_recurrent_states.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/nn/linear_layer.h"

namespace ssm {

struct BlockRecurrentOptions;
template <Scalar T>
class BlockRecurrent;

struct BlockRecurrentOptions final : public BuildsMixer<BlockRecurrentOptions, BlockRecurrent> {
  int64_t heads = 4;
  int64_t window = 64;  // tokens of a block
  int64_t states = 16;
  kernels::StateGate gate = kernels::StateGate::kFixed;
  kernels::BlockStructure structure = kernels::BlockStructure::kSkip;
  int64_t d_hidden = 0;  // 0: 4 d_model
  bool sees_itself = false;

  void VisitFields(FieldVisitor& visitor) override;
  void CheckIn(const MixerContext& context, Faults& faults) const override;
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  MixerProperties Properties(const MixerContext& context) const override;

  kernels::KeyReach Reach() const;
};

/// Two attentions side by side (Hutchins et al. 2022), y = W_self a + W_states c:
/// a_t is that of t over the `window` tokens before it, or with sees_itself over the newest
/// `window`, itself counted, with a bias learned for each head and T5 bucket of the distance (32,
/// the last from 128 tokens on); the first token of a sequence sees nothing without sees_itself.
/// c_t is that over the S state vectors of t's block (by the same keys and values of the states as
/// below). After the last token of a block the states attend to themselves and to the tokens of
/// that block and of the one before, n_i = norm(s_i) + id_i giving queries for each, keys and
/// values; see BlockStructure and StateGate for what is made of it. Queries and keys are unit
/// vectors in each head, queries times a learned number. Tokens have keys and values in common for
/// both attentions, and so have states.
/// Norms and the residual around tokens are the block's affair. Otherwise as published but for: a
/// sequence's first block has no empty block before it in the states' view, the numbers that
/// scale queries are not made positive, and gradients flow through all blocks of a pass. Nothing
/// bounds them: at some initial values those through 1,000 blocks overflow, most with lstm gates
/// and in layers of a few channels.
/// Parameters: qkv.weight [3 D, D], cross.weight, self.weight, read.weight [D, D], and
/// states.project.weight [4 D, D], from U(+-1/sqrt(fan-in)); scales 1; bias 0; states.initial from
/// N(0, 0.1), states.ids from N(0, 1); gates: b of kFixed from N(0, 0.1), weights of others from
/// N(0, 0.1 / fan-in), their biases 0. Slots tokens [2 D], a ring of the 2 window - 1 tokens
/// before, and states [S, D]. The time between tokens is not seen. Cost of a token
/// 12 D^2 + 4 (window + S) D FLOPs, of a block 8 S D^2 + 4 S (2 window + S) D and its gate stages.
template <Scalar T>
class BlockRecurrent final : public SequenceMixer<T> {
 public:
  BlockRecurrent(const BlockRecurrentOptions& options, const MixerContext& context,
                 ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  /// What scales queries to tokens (attention 0) or to states (1): the halves of one parameter.
  Param Scale(int64_t attention) const;

  int64_t d_model_;
  BlockRecurrenceForm form_;
  kernels::KeyReach reach_;
  std::vector<int64_t> buckets_;  // [distances]
  LinearLayer qkv_, cross_, self_, read_;
  Param scale_, bias_;
  StateParams states_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
