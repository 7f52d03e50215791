#include "ssm/mixers/transformer_xl.h"

#include <cmath>

#include "ssm/autograd/ops/cache_write.h"
#include "ssm/autograd/ops/linear.h"
#include "ssm/autograd/ops/relative_attention.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/distance_table.h"
#include "ssm/mixers/heads.h"
#include "ssm/mixers/transformer_xl_stepper.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

constexpr int64_t kMostTokens = 1 << 24;

double ScoreScale(int64_t d_head) { return 1 / std::sqrt(static_cast<double>(d_head)); }

}  // namespace

void TransformerXlOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("heads", heads, {1, kMaxHeads},
              "groups of d_model / heads channels, each with weights of its own over time");
  visitor.Int("segment", segment, {1, kMostTokens},
              "tokens of a segment; gradients stop where it begins");
  visitor.Int("mem_len", mem_len, {0, kMostTokens}, "tokens that are seen beyond; see keys");
  visitor.Choice<XlKeys>("keys", keys,
                         {{"segment", XlKeys::kSegment}, {"same_length", XlKeys::kSameLength}},
                         "segment: all of the own segment so far and mem_len tokens before it; "
                         "same_length: the newest mem_len tokens, this one counted");
  visitor.Int("clamp_len", clamp_len, {0, kMostTokens},
              "tokens; longer distances look like this one; 0: none do");
}

void TransformerXlOptions::Check(Faults& faults) const {
  if (keys == XlKeys::kSameLength && mem_len == 0) {
    faults.Add("mem_len",
               "with keys \"same_length\" a token sees the newest mem_len tokens, itself counted, "
               "but mem_len is 0: use 1 or more, or keys \"segment\"");
  }
}

void TransformerXlOptions::CheckIn(const MixerContext& context, Faults& faults) const {
  CheckHeads(context.d_model, heads, faults);
}

kernels::KeyReach TransformerXlOptions::Reach() const {
  if (keys == XlKeys::kSegment) return {.back = mem_len, .segment = segment};
  return {.back = mem_len - 1, .sliding = true, .segment = segment};
}

int64_t TransformerXlOptions::Entries() const { return Reach().Distances() - 1; }

MixerProperties TransformerXlOptions::Properties(const MixerContext& context) const {
  const double bound = 1 / std::sqrt(static_cast<double>(context.d_model));
  MixerProperties properties;
  for (const char* name : {"qkv.weight", "position.weight", "output.weight"}) {
    properties.initial.push_back({name, -bound, bound});
  }
  properties.per_step_dt = false;
  properties.lengths = {segment, mem_len + segment, 2 * segment};
  return properties;
}

template <Scalar T>
TransformerXl<T>::TransformerXl(const TransformerXlOptions& options, const MixerContext& context,
                                ParameterBuilder& parameters)
    : d_model_(context.d_model),
      heads_(options.heads),
      clamp_len_(options.clamp_len),
      reach_(options.Reach()),
      qkv_(parameters.Scope("qkv").Add("weight", {3 * d_model_, d_model_}, FanIn(d_model_))),
      kv_{{2 * d_model_, d_model_}, qkv_.offset + d_model_ * d_model_},
      position_(parameters.Scope("position"), d_model_, d_model_, false),
      output_(parameters.Scope("output"), d_model_, d_model_, false),
      u_(parameters.Add("u", {d_model_}, Normal(0, 0.02), "default", false)),
      v_(parameters.Add("v", {d_model_}, Normal(0, 0.02), "default", false)),
      slots_{{.name = "inputs",
              .kind = SlotKind::kRing,
              .entry = Shape{d_model_},
              .entries = options.Entries()}} {
  SSM_CHECK(d_model_ % heads_ == 0, "the heads of an attention mixer share d_model equally");
}

template <Scalar T>
void TransformerXl<T>::Prepare(Tape<T>& tape, int64_t, T, Prepared<T> prepared) const {
  const Var<T> table = tape.New({reach_.Distances(), d_model_});
  if (tape.Live()) {
    kernels::DistanceTable(reach_.Distances(), d_model_, clamp_len_, tape.out(table));
  }
  prepared[0] = position_.Apply(tape, table);
}

template <Scalar T>
Outputs<T> TransformerXl<T>::Forward(Tape<T>& tape, const Inputs<T>& in,
                                     std::span<const Var<T>> state, Prepared<T> prepared,
                                     Want want) const {
  const Clock& clock = *in.clock;
  const Var<T> kv = tape.Use(kv_);
  const Var<T> before = clock.fresh ? Var<T>{} : state[0];
  RelativeAttentionInputs<T> inputs;
  inputs.qkv = Linear(tape, in.x, tape.Use(qkv_));
  inputs.r = prepared[0];
  inputs.u = tape.Use(u_);
  inputs.v = tape.Use(v_);
  if (before) inputs.ring = Linear(tape, before, kv);
  // Some token may see past its segment's beginning.
  if (reach_.back > 0 && clock.reach > reach_.segment) {
    inputs.kv_stop = Linear(tape, tape.Stop(in.x), kv);
    if (before) inputs.ring_stop = Linear(tape, tape.Stop(before), kv);
  }
  const Var<T> mixed =
      RelativeAttention(tape, inputs, heads_, reach_, ScoreScale(d_model_ / heads_), clock);
  Outputs<T> outputs{output_.Apply(tape, mixed), {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(1);
  outputs.next[0] = RingWrite(tape, in.x, {0, d_model_}, before, slots_[0].entries, clock);
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> TransformerXl<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                          T dt_scale) const {
  Tape<T> tape(Mode::kInfer, params);
  const std::span<Var<T>> prepared = tape.NewVars(1);
  Prepare(tape, 1, dt_scale, prepared);
  return MakeTransformerXlStepper<T>(tape, batch,
                                     {heads_, reach_, ScoreScale(d_model_ / heads_), tape.Use(qkv_),
                                      prepared[0], tape.Use(u_), tape.Use(v_), output_});
}

template class TransformerXl<float>;
template class TransformerXl<double>;

}  // namespace ssm
