#include "ssm/mixers/linear_attention.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/autograd/ops/matrix_state.h"
#include "ssm/base/errors.h"
#include "ssm/mixers/heads.h"
#include "ssm/mixers/linear_attention_stepper.h"

namespace ssm {
namespace {

/// Largest d_key whose Taylor features are kept: 1 + d + d^2 of them for each value channel.
constexpr int64_t kMaxTaylorKeys = 64;

FeatureMap FeatureMapOf(LinearFeatures features) {
  switch (features) {
    case LinearFeatures::kEluPlusOne:
      return FeatureMap::kEluPlusOne;
    case LinearFeatures::kRelu:
      return FeatureMap::kRelu;
    case LinearFeatures::kSquaredRelu:
      return FeatureMap::kSquaredRelu;
    case LinearFeatures::kTaylor2:
      return FeatureMap::kTaylor2;
    case LinearFeatures::kIdentity:
    case LinearFeatures::kExp:
      break;
  }
  return FeatureMap::kIdentity;
}

int64_t KeysOf(const LinearAttentionOptions& options, const MixerContext& context) {
  return options.d_key == 0 ? context.d_model / options.heads : options.d_key;
}

}  // namespace

void LinearAttentionOptions::VisitFields(FieldVisitor& visitor) {
  VisitHeads(visitor, heads);
  visitor.Int("d_key", d_key, {0, 1 << 12},
              "channels of a head's queries and keys; 0: d_model / heads");
  visitor.Choice<LinearFeatures>(
      "features", features,
      {{"elu_plus_one", LinearFeatures::kEluPlusOne},
       {"relu", LinearFeatures::kRelu},
       {"squared_relu", LinearFeatures::kSquaredRelu},
       {"identity", LinearFeatures::kIdentity},
       {"taylor2", LinearFeatures::kTaylor2},
       {"exp", LinearFeatures::kExp}},
      "phi, what is made of queries and keys before they are multiplied");
  visitor.Bool("normalised", normalised,
               "divide by phi(q) . (sum of phi(k)); false: scale, then normalise each head");
  visitor.Real("eps", eps, NonNegative(),
               "added to that divisor; a read-out whose divisor is not larger is 0");
  visitor.Bool("allow_signed", allow_signed,
               "divide although features of both signs may cancel in the divisor");
  VisitChunk(visitor, chunk);
}

void LinearAttentionOptions::Check(Faults& faults) const {
  if (features == LinearFeatures::kIdentity && normalised && !allow_signed) {
    faults.Add("features",
               "\"identity\" features have both signs, and their sum may cancel in the divisor: "
               "set normalised false, or allow_signed true");
  }
  if (features == LinearFeatures::kExp && !normalised) {
    faults.Add("normalised",
               "\"exp\" features are known up to a factor only, which the division takes out: set "
               "normalised true, or take other features");
  }
  if (features == LinearFeatures::kExp && eps > 0) {
    faults.Add("eps", fmt::format(
                          "is {}, but the divisor of \"exp\" features is never 0: set eps 0", eps));
  }
  if (!normalised && eps > 0) {
    faults.Add("eps", fmt::format("is {}, but nothing is divided unless normalised is true", eps));
  }
  if (allow_signed && (features != LinearFeatures::kIdentity || !normalised)) {
    faults.Add(
        "allow_signed",
        "is of \"identity\" features that are normalised; others have one sign: leave it out");
  }
  if (features == LinearFeatures::kTaylor2 && d_key > kMaxTaylorKeys) {
    faults.Add("d_key",
               fmt::format("is {}, but \"taylor2\" makes 1 + d + d^2 features of d: use {} "
                           "at most",
                           d_key, kMaxTaylorKeys));
  }
}

void LinearAttentionOptions::CheckIn(const MixerContext& context, Faults& faults) const {
  if (!CheckHeads(context.d_model, heads, faults)) return;
  if (features == LinearFeatures::kTaylor2 && d_key == 0 &&
      KeysOf(*this, context) > kMaxTaylorKeys) {
    faults.Add("d_key", fmt::format("is d_model / heads = {}, but \"taylor2\" makes 1 + d + d^2 "
                                    "features of d: use {} at most",
                                    KeysOf(*this, context), kMaxTaylorKeys));
  }
}

MixerProperties LinearAttentionOptions::Properties(const MixerContext& context) const {
  const double bound = 1 / std::sqrt(static_cast<double>(context.d_model));
  MixerProperties properties;
  for (const char* name : {"qkv.weight", "qkv.bias", "output.weight", "output.bias"}) {
    properties.initial.push_back({name, -bound, bound});
  }
  properties.per_step_dt = false;
  properties.lengths = {chunk, 2 * chunk};
  return properties;
}

kernels::MatrixStateShape LinearAttentionForm::StepShape() const {
  kernels::MatrixStateShape shape;
  shape.decay = exponential ? kernels::MatrixDecay::kKey : kernels::MatrixDecay::kNone;
  shape.rows = shape.steps = 1;
  shape.heads = shape.groups = heads;
  shape.d_k = d_features;
  shape.d_v = d_value;
  shape.ones = normalised;
  shape.scale = normalised ? 1 : 1 / std::sqrt(static_cast<double>(d_features));
  return shape;
}

template <Scalar T>
LinearAttention<T>::LinearAttention(const LinearAttentionOptions& options,
                                    const MixerContext& context, ParameterBuilder& parameters) {
  const int64_t d_model = context.d_model;
  SSM_CHECK(d_model % options.heads == 0, "heads of a linear attention share d_model equally");
  form_.heads = options.heads;
  form_.d_key = KeysOf(options, context);
  form_.d_value = d_model / options.heads;
  form_.exponential = options.features == LinearFeatures::kExp;
  form_.normalised = options.normalised;
  form_.map = FeatureMapOf(options.features);
  form_.d_features = kernels::FeatureCount(form_.map, form_.d_key);
  form_.eps = options.eps;
  form_.chunk = options.chunk;
  const int64_t keys = form_.heads * form_.d_key;
  form_.qkv = LinearLayer(parameters.Scope("qkv"), d_model, 2 * keys + d_model);
  form_.output = LinearLayer(parameters.Scope("output"), d_model, d_model);
  slots_ = {{.name = "S",
             .entry = {form_.heads, form_.d_features, form_.d_value + (form_.normalised ? 1 : 0)}}};
  if (!form_.normalised) {
    form_.norm = NormLayer(parameters.Scope("norm"), NormKind::kRms, d_model, form_.heads);
  }
  if (form_.exponential) {
    slots_.push_back({.name = "m", .entry = Shape{keys}, .differentiable = false});
  }
}

template <Scalar T>
Outputs<T> LinearAttention<T>::Forward(Tape<T>& tape, const Inputs<T>& in,
                                       std::span<const Var<T>> state, Prepared<T>,
                                       Want want) const {
  const Clock& clock = *in.clock;
  const int64_t heads = form_.heads, keys = heads * form_.d_key;
  const auto before = [&](size_t slot) { return clock.fresh ? Var<T>{} : state[slot]; };
  const kernels::MatrixStateShape shape = form_.StepShape();
  const Var<T> qkv = form_.qkv.Apply(tape, in.x);

  MatrixStateArguments<T> a;
  a.decay = shape.decay;
  a.heads = a.groups = heads;
  a.d_k = shape.d_k;
  a.d_v = shape.d_v;
  a.chunk = form_.chunk;
  a.ones = shape.ones;
  a.scale = shape.scale;
  a.v = {qkv, 2 * keys};
  a.before = before(0);
  ExpAnchorOutputs<T> anchors;
  Var<T> features = qkv;
  if (form_.exponential) {
    anchors = ExpAnchors(tape, qkv, heads, form_.d_key, before(1), clock);
    features = ExpFeatures(tape, qkv, heads, form_.d_key, anchors.m, anchors.anchor);
    a.log_decay = {anchors.loss, 0};
  } else if (form_.map != FeatureMap::kIdentity) {
    features = MapFeatures(tape, form_.map, qkv, 2 * heads, form_.d_key);
  }
  a.q = {features, 0};
  a.k = {features, heads * form_.d_features};
  const MatrixStateOutputs<T> mixed = MatrixState(tape, a, clock);

  const Var<T> read = form_.normalised ? NormalisedRead(tape, mixed.y, heads, form_.eps, clock)
                                       : form_.norm.Apply(tape, mixed.y);
  Outputs<T> outputs{form_.output.Apply(tape, read), {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(static_cast<int64_t>(slots_.size()));
  outputs.next[0] = mixed.last;
  if (form_.exponential) outputs.next[1] = anchors.last;
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> LinearAttention<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                            T) const {
  return MakeLinearAttentionStepper<T>(form_, batch, params);
}

template class LinearAttention<float>;
template class LinearAttention<double>;

}  // namespace ssm
