#include "ssm/mixers/attention.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/autograd/ops/attention.h"
#include "ssm/autograd/ops/cache_write.h"
#include "ssm/autograd/ops/rotary.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/attention.h"
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
  properties.lengths = {kernels::kAttentionQueries};
  if (cache->Window() > 0) {
    properties.lengths.push_back(cache->Window());
    properties.lengths.push_back(2 * cache->Window() + 1);
    properties.lengths.push_back(kernels::kAttentionChunk);
  }
  return properties;
}

template <Scalar T>
AttentionMixer<T>::AttentionMixer(const AttentionOptions& options, const MixerContext& context,
                                  ParameterBuilder& parameters)
    : d_model_(context.d_model),
      heads_(options.heads),
      window_(options.cache->Window()),
      rotary_base_(options.positions == PositionKind::kRotary ? options.rotary_base : 0),
      alibi_(options.positions == PositionKind::kAlibi),
      has_relative_bias_(options.positions == PositionKind::kLearnedRelative),
      qkv_(parameters.Scope("qkv"), d_model_, 3 * d_model_),
      output_(parameters.Scope("output"), d_model_, d_model_),
      slots_{options.cache->Slot("k", d_model_), options.cache->Slot("v", d_model_)} {
  SSM_CHECK(d_model_ % heads_ == 0, "the heads of an attention mixer share d_model equally");
  if (has_relative_bias_) {
    relative_bias_ = parameters.Add("relative_bias", {heads_, options.max_distance + 1}, Zeros(),
                                    "default", false);
  }
}

template <Scalar T>
Var<T> AttentionMixer<T>::Cached(Tape<T>& tape, Var<T> qkv, int64_t part, Var<T> before,
                                 const Clock& clock) const {
  const CacheColumns columns{part * d_model_, d_model_};
  if (window_ == 0) return CacheAppend(tape, qkv, columns, before, clock);
  return RingWrite(tape, qkv, columns, clock.fresh ? Var<T>{} : before, window_ - 1, clock);
}

template <Scalar T>
AttentionView<T> AttentionMixer<T>::View(Tape<T>& tape) const {
  AttentionView<T> view{.heads = heads_, .window = window_};
  view.bias.alibi = alibi_;
  if (has_relative_bias_) view.bias.table = tape.Use(relative_bias_);
  return view;
}

template <Scalar T>
Outputs<T> AttentionMixer<T>::Forward(Tape<T>& tape, const Inputs<T>& in,
                                      std::span<const Var<T>> state, Prepared<T>, Want want) const {
  const Clock& clock = *in.clock;
  Var<T> qkv = qkv_.Apply(tape, in.x);
  if (rotary_base_ > 0) {
    qkv = Rotary(tape, qkv, 2 * heads_, d_model_ / heads_, rotary_base_, clock);
  }
  const Var<T> k = clock.fresh ? Var<T>{} : state[0], v = clock.fresh ? Var<T>{} : state[1];
  const Var<T> mixed = Attention(tape, qkv, k, v, View(tape), clock);
  Outputs<T> outputs{output_.Apply(tape, mixed), {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(2);
  outputs.next[0] = Cached(tape, qkv, 1, state[0], clock);
  outputs.next[1] = Cached(tape, qkv, 2, state[1], clock);
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> AttentionMixer<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                           T) const {
  return MakeAttentionStepper<T>({.heads = heads_,
                                  .d_head = d_model_ / heads_,
                                  .window = window_,
                                  .rotary_base = rotary_base_,
                                  .alibi = alibi_,
                                  .has_relative_bias = has_relative_bias_,
                                  .relative_bias = relative_bias_,
                                  .qkv = qkv_,
                                  .output = output_},
                                 batch, params);
}

template class AttentionMixer<float>;
template class AttentionMixer<double>;

}  // namespace ssm
