#include "ssm/mixers/attention.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/autograd/ops/rotary.h"
#include "ssm/base/errors.h"
#include "ssm/mixers/attention_stepper.h"
#include "ssm/mixers/heads.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

constexpr int64_t kMaxDistance = 1 << 24;

}  // namespace

void AttentionOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("heads", heads, {1, kMaxHeads},
              "groups of d_model / heads channels, each with weights of its own over time");
  visitor.Tagged("cache", cache, "how far back a token sees, and what the state holds");
  visitor.Choice<PositionKind>(
      "positions", positions,
      {{"none", PositionKind::kNone},
       {"rotary", PositionKind::kRotary},
       {"alibi", PositionKind::kAlibi},
       {"learned_relative", PositionKind::kLearnedRelative}},
      "rotary: queries and keys are turned by their position in the sequence; alibi: scores fall "
      "with distance, in each head at a rate of its own; learned_relative: a learned term a head "
      "and distance");
  visitor.Real("rotary_base", rotary_base, {.min = 1, .open_min = true},
               "rotary: the slowest pair of channels turns once in about 2 pi times this many "
               "tokens");
  visitor.Int("max_distance", max_distance, {1, kMaxDistance},
              "learned_relative: tokens further back than this share one term");
}

void AttentionOptions::CheckIn(const MixerContext& context, Faults& faults) const {
  const int64_t d_model = context.d_model;
  if (!CheckHeads(d_model, heads, faults)) return;
  if (positions == PositionKind::kRotary && d_model / heads % 2 != 0) {
    const std::string other =
        d_model % 2 != 0 ? "" : fmt::format(" {} heads, or", PossibleHeads(d_model, true));
    faults.Add("heads",
               fmt::format("d_model / heads is {} / {} = {}, but rotary positions turn channels in "
                           "pairs: use{} positions \"none\"",
                           d_model, heads, d_model / heads, other));
  }
}

MixerProperties AttentionOptions::Properties(const MixerContext& context) const {
  const double bound = 1 / std::sqrt(static_cast<double>(context.d_model));
  MixerProperties properties;
  for (const char* name : {"qkv.weight", "qkv.bias", "output.weight", "output.bias"}) {
    properties.initial.push_back({name, -bound, bound});
  }
  if (positions == PositionKind::kLearnedRelative) {
    properties.initial.push_back({"relative_bias", 0, 0});
  }
  properties.per_step_dt = false;
  properties.quantises = cache->Quantises();
  properties.lengths = {kernels::kAttentionQueries};
  for (const int64_t length : cache->Lengths()) properties.lengths.push_back(length);
  for (const InitialRange& range : cache->Initial()) properties.initial.push_back(range);
  return properties;
}

template <Scalar T>
AttentionMixer<T>::AttentionMixer(const AttentionOptions& options, const MixerContext& context,
                                  ParameterBuilder& parameters)
    : heads_{options.heads, context.d_model / options.heads,
             options.positions == PositionKind::kRotary ? options.rotary_base : 0},
      alibi_(options.positions == PositionKind::kAlibi),
      has_relative_bias_(options.positions == PositionKind::kLearnedRelative),
      qkv_(parameters.Scope("qkv"), context.d_model, 3 * context.d_model),
      output_(parameters.Scope("output"), context.d_model, context.d_model),
      memory_(options.cache->Build<T>(heads_, parameters)) {
  SSM_CHECK(context.d_model % options.heads == 0,
            "the heads of an attention mixer share d_model equally");
  // Near half a code the last bit of a key decides a whole code, and both faces must decide alike.
  if (options.cache->Quantises()) qkv_.KeepRowBits();
  if (has_relative_bias_) {
    relative_bias_ = parameters.Add("relative_bias", {options.heads, options.max_distance + 1},
                                    Zeros(), "default", false);
  }
}

template <Scalar T>
AttentionView<T> AttentionMixer<T>::View(Tape<T>& tape) const {
  AttentionView<T> view{.heads = heads_.heads};
  view.bias.alibi = alibi_;
  if (has_relative_bias_) view.bias.table = tape.Use(relative_bias_);
  return view;
}

template <Scalar T>
Outputs<T> AttentionMixer<T>::Forward(Tape<T>& tape, const Inputs<T>& in,
                                      std::span<const Var<T>> state, Prepared<T>, Want want) const {
  Var<T> qkv = qkv_.Apply(tape, in.x);
  if (heads_.rotary_base > 0) {
    qkv = Rotary(tape, qkv, 2 * heads_.heads, heads_.d_head, heads_.rotary_base, *in.clock);
  }
  Outputs<T> outputs = memory_->Attend(tape, qkv, View(tape), *in.clock, state, want);
  outputs.y = output_.Apply(tape, outputs.y);
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> AttentionMixer<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                           T) const {
  return MakeAttentionStepper<T>({.heads = heads_,
                                  .alibi = alibi_,
                                  .has_relative_bias = has_relative_bias_,
                                  .relative_bias = relative_bias_,
                                  .qkv = qkv_,
                                  .output = output_,
                                  .memory = memory_},
                                 batch, params);
}

template class AttentionMixer<float>;
template class AttentionMixer<double>;

}  // namespace ssm
