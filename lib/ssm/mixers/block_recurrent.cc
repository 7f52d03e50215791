#include "ssm/mixers/block_recurrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/autograd/ops/cache_write.h"
#include "ssm/autograd/ops/pointwise.h"
#include "ssm/autograd/ops/relative_attention.h"
#include "ssm/autograd/ops/unit_heads.h"
#include "ssm/base/errors.h"
#include "ssm/mixers/block_recurrent_stepper.h"
#include "ssm/mixers/heads.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

using kernels::BlockStructure;
using kernels::StateGate;

constexpr int64_t kMostTokens = 1 << 20, kMostStates = 1 << 16, kMostHidden = 1 << 24;
/// T5's buckets: one for each short distance, the rest logarithmic up to the longest.
constexpr int64_t kBuckets = 32, kExact = kBuckets / 2, kLongest = 128;

int64_t Bucket(int64_t distance) {
  if (distance < kExact) return distance;
  const double octaves = std::log(static_cast<double>(distance) / kExact) /
                         std::log(static_cast<double>(kLongest) / kExact);
  const double bucket = static_cast<double>(kExact) + octaves * (kBuckets - kExact);
  return std::min<int64_t>(static_cast<int64_t>(bucket), kBuckets - 1);
}

std::vector<int64_t> Buckets(int64_t distances) {
  std::vector<int64_t> buckets(static_cast<size_t>(distances));
  for (size_t d = 0; d < buckets.size(); ++d) buckets[d] = Bucket(static_cast<int64_t>(d));
  return buckets;
}

kernels::BlockRecurrenceShape ShapeOf(const BlockRecurrentOptions& options, int64_t d_model) {
  kernels::BlockRecurrenceShape shape;
  shape.heads = options.heads;
  shape.d_head = d_model / options.heads;
  shape.states = options.states;
  shape.block = options.window;
  shape.entries = 2 * options.window - 1;
  shape.hidden = options.d_hidden > 0 ? options.d_hidden : 4 * d_model;
  shape.gate = options.gate;
  shape.structure = options.structure;
  return shape;
}

}  // namespace

void BlockRecurrentOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("heads", heads, {1, kMaxHeads},
              "groups of d_model / heads channels, each with weights of its own over time");
  visitor.Int("window", window, {1, kMostTokens},
              "tokens that a token sees, and tokens of a block");
  visitor.Int("states", states, {1, kMostStates}, "state vectors of d_model numbers");
  visitor.Choice<StateGate>(
      "gate", gate,
      {{"fixed", StateGate::kFixed}, {"gru", StateGate::kGru}, {"lstm", StateGate::kLstm}},
      "what a block changes of a state: fixed: a share learned for each channel; gru: a share; "
      "lstm: what to forget and what to add");
  visitor.Choice<BlockStructure>("structure", structure,
                                 {{"skip", BlockStructure::kSkip},
                                  {"dual", BlockStructure::kDual},
                                  {"single", BlockStructure::kSingle}},
                                 "after the states' attention: skip: a projection and its gate; "
                                 "dual: that and a network with a second gate; single: a network "
                                 "with a gate");
  visitor.Int("d_hidden", d_hidden, {0, kMostHidden}, "hidden units of that network; 0: 4 d_model");
  visitor.Bool("sees_itself", sees_itself,
               "the window is the newest tokens, this one counted, and not those before it");
}

void BlockRecurrentOptions::CheckIn(const MixerContext& context, Faults& faults) const {
  const int64_t d_model = context.d_model;
  if (!CheckHeads(d_model, heads, faults) || heads < d_model) return;
  faults.Add("heads", fmt::format("{} heads of d_model, {}, channels have 1 channel each, of which "
                                  "a query of unit length keeps the sign alone: use fewer heads "
                                  "or a larger d_model",
                                  heads, d_model));
}

kernels::KeyReach BlockRecurrentOptions::Reach() const {
  return {.back = sees_itself ? window - 1 : window, .sliding = true, .self = sees_itself};
}

MixerProperties BlockRecurrentOptions::Properties(const MixerContext& context) const {
  const double bound = 1 / std::sqrt(static_cast<double>(context.d_model));
  MixerProperties properties;
  for (const char* name :
       {"qkv.weight", "cross.weight", "self.weight", "read.weight", "states.project.weight"}) {
    properties.initial.push_back({name, -bound, bound});
  }
  for (const char* name : {"scale", "states.scale", "states.norm.weight"}) {
    properties.initial.push_back({name, 1, 1});
  }
  properties.initial.push_back({"bias", 0, 0});
  properties.per_step_dt = false;
  properties.lengths = {window, 2 * window, 3 * window};
  return properties;
}

template <Scalar T>
BlockRecurrent<T>::BlockRecurrent(const BlockRecurrentOptions& options, const MixerContext& context,
                                  ParameterBuilder& parameters)
    : d_model_(context.d_model),
      form_{options.heads, options.window, options.gate, options.structure},
      reach_(options.Reach()),
      buckets_(Buckets(reach_.Distances())),
      qkv_(parameters.Scope("qkv"), d_model_, 3 * d_model_, false),
      cross_(parameters.Scope("cross"), d_model_, d_model_, false),
      self_(parameters.Scope("self"), d_model_, d_model_, false),
      read_(parameters.Scope("read"), d_model_, d_model_, false),
      scale_(parameters.Add("scale", {2 * form_.heads}, Ones(), "default", false)),
      bias_(parameters.Add("bias", {form_.heads, kBuckets}, Zeros(), "default", false)),
      states_(AddStateParams(ShapeOf(options, d_model_), parameters.Scope("states"))),
      slots_{
          {.name = "tokens",
           .kind = SlotKind::kRing,
           .entry = Shape{2 * d_model_},
           .entries = 2 * options.window - 1},
          {.name = "states", .kind = SlotKind::kFixed, .entry = Shape{options.states, d_model_}}} {
  SSM_CHECK(d_model_ % form_.heads == 0, "the heads of an attention mixer share d_model equally");
}

template <Scalar T>
Param BlockRecurrent<T>::Scale(int64_t attention) const {
  return {{form_.heads}, scale_.offset + attention * form_.heads};
}

template <Scalar T>
Outputs<T> BlockRecurrent<T>::Forward(Tape<T>& tape, const Inputs<T>& in,
                                      std::span<const Var<T>> state, Prepared<T>, Want want) const {
  const Clock& clock = *in.clock;
  const int64_t heads = form_.heads, d_head = d_model_ / heads;
  const Var<T> ring = clock.fresh ? Var<T>{} : state[0];
  RelativeAttentionInputs<T> self;
  self.qkv = UnitHeads(tape, qkv_.Apply(tape, in.x), 2 * heads, d_head, tape.Use(Scale(0)));
  self.ring = ring;
  self.bias = tape.Use(bias_);
  self.bucket = tape.NewInts(std::ssize(buckets_));
  std::ranges::copy(buckets_, self.bucket.begin());
  const Var<T> mixed = RelativeAttention(tape, self, heads, reach_, 1, clock);

  BlockRecurrenceInputs<T> inputs = kernels::MapArrays<Var<T>>(
      states_,
      [&](const MaybeParam& maybe) { return maybe.there ? tape.Use(maybe.param) : Var<T>{}; });
  inputs.query = UnitHeads(tape, cross_.Apply(tape, in.x), heads, d_head, tape.Use(Scale(1)));
  inputs.qkv = self.qkv;
  inputs.ring = ring;
  inputs.before = clock.fresh ? Var<T>{} : state[1];
  const BlockRecurrenceOutputs<T> read = BlockRecurrence(tape, inputs, form_, clock);

  Outputs<T> outputs{Add(tape, self_.Apply(tape, mixed), read_.Apply(tape, read.y)), {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(2);
  outputs.next[0] =
      RingWrite(tape, self.qkv, {d_model_, 2 * d_model_}, ring, slots_[0].entries, clock);
  outputs.next[1] = read.last;
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> BlockRecurrent<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                           T) const {
  const auto values = [&](const Param& param) { return params.values + param.offset; };
  BlockRecurrentView<T> view;
  view.params = params;
  view.shape.rows = batch;
  view.shape.steps = 1;
  view.shape.heads = form_.heads;
  view.shape.d_head = d_model_ / form_.heads;
  view.shape.states = slots_[1].entry[0];
  view.shape.block = form_.block;
  view.shape.entries = slots_[0].entries;
  view.shape.gate = form_.gate;
  view.shape.structure = form_.structure;
  const MaybeParam& hidden = states_.first.w1.there ? states_.first.w1 : states_.second.w1;
  view.shape.hidden = hidden.there ? hidden.param.shape[0] : 0;
  view.states = kernels::MapArrays<const T*>(states_, [&](const MaybeParam& maybe) {
    return maybe.there ? values(maybe.param) : static_cast<const T*>(nullptr);
  });
  view.reach = reach_;
  view.buckets = buckets_;
  view.qkv = qkv_;
  view.cross = cross_;
  view.self = self_;
  view.read = read_;
  view.scale = values(Scale(0));
  view.cross_scale = values(Scale(1));
  view.bias = values(bias_);
  view.bias_columns = kBuckets;
  return MakeBlockRecurrentStepper<T>(view);
}

template class BlockRecurrent<float>;
template class BlockRecurrent<double>;

}  // namespace ssm
