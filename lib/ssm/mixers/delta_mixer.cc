#include "ssm/mixers/delta_mixer.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/autograd/ops/causal_conv.h"
#include "ssm/autograd/ops/gated.h"
#include "ssm/autograd/ops/linear.h"
#include "ssm/autograd/ops/log_decay.h"
#include "ssm/autograd/ops/unit_norm.h"
#include "ssm/kernels/causal_conv.h"
#include "ssm/mixers/delta_stepper.h"
#include "ssm/mixers/heads.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

constexpr int64_t kMaxWidth = 1 << 16;

}  // namespace

void DeltaOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("heads", heads, {1, kMaxWidth}, "memories side by side, each with keys of its own");
  visitor.Int("d_key", d_key, {0, kMaxWidth},
              "numbers of a head's keys and queries; 0: d_model / heads");
  visitor.Int("d_value", d_value, {0, kMaxWidth},
              "numbers a head holds under each key; 0: d_model / heads");
  visitor.Int("beta_range", beta_range, {1, 2},
              "largest step of a correction: 1 replaces what is held under a key, 2 may turn it "
              "round");
  visitor.Int("d_conv", d_conv, {1, kernels::kMaxTaps},
              "taps of the convolution in front of queries, keys and values; 1: none");
  visitor.Int("chunk", chunk, {1, 1024}, "tokens computed by one set of products");
  visitor.Bool("norm", norm, "whether each head's output is scaled to a mean square of 1");
}

void DeltaOptions::CheckIn(const MixerContext& context, Faults& faults) const {
  if ((d_key == 0 || d_value == 0) && context.d_model % heads != 0) {
    faults.Add("heads", fmt::format("{} heads cannot share d_model, {}, equally: use {}, or give "
                                    "d_key and d_value",
                                    heads, context.d_model, PossibleHeads(context.d_model, false)));
  } else if (norm && Values(context) == 1) {
    faults.Add(
        d_value == 0 ? "heads" : "d_value",
        fmt::format("{} of {} leaves each head 1 value, of which norm keeps the sign alone: "
                    "use {}d_value 2 or more, or norm false",
                    d_value == 0 ? "sharing d_model" : "d_value",
                    d_value == 0 ? context.d_model : d_value, d_value == 0 ? "fewer heads, " : ""));
  }
}

MixerProperties DeltaOptions::Properties(const MixerContext& context) const {
  const double bound = 1 / std::sqrt(static_cast<double>(context.d_model));
  const double out = 1 / std::sqrt(static_cast<double>(heads * Values(context)));
  MixerProperties properties;
  properties.initial = {
      {"qkv.weight", -bound, bound}, {"beta.weight", -bound, bound}, {"output.weight", -out, out}};
  if (d_conv > 1) {
    const double tap = 1 / std::sqrt(static_cast<double>(d_conv));
    properties.initial.push_back({"conv.weight", -tap, tap});
  }
  properties.per_step_dt = false;
  properties.lengths = {chunk, 2 * chunk};
  return properties;
}

template <Scalar T>
DeltaMixer<T>::DeltaMixer(const DeltaOptions& options, const DeltaGates* gates,
                          const MixerContext& context, ParameterBuilder& parameters) {
  const int64_t heads = options.heads, dk = options.Keys(context), dv = options.Values(context);
  const int64_t width = heads * (2 * dk + dv), values = heads * dv, d_model = context.d_model;
  p_.form = {heads, dk, dv, options.chunk, 1};
  p_.beta_range = options.beta_range;
  p_.gated = gates != nullptr;
  p_.qkv = LinearLayer(parameters.Scope("qkv"), d_model, width, /*bias=*/false);
  p_.beta = LinearLayer(parameters.Scope("beta"), d_model, heads, /*bias=*/false);
  if (options.d_conv > 1) {
    p_.conv =
        parameters.Scope("conv").Add("weight", {width, options.d_conv}, FanIn(options.d_conv));
  }
  if (p_.gated) {
    p_.form.scale = 1 / std::sqrt(static_cast<double>(dk));
    p_.decay = parameters.Scope("decay").Add("weight", {heads, d_model}, FanIn(d_model));
    const auto rates = [most = gates->largest_rate](std::span<double> numbers, Random& random) {
      for (double& x : numbers) x = std::log(random.Uniform(0, most));
    };
    p_.dt_bias = parameters.Add("dt_bias", {heads}, gates->dt.SoftplusBias(0), "ssm", false);
    p_.a_log = parameters.Add("A_log", {heads}, rates, "ssm", false);
    p_.gate = LinearLayer(parameters.Scope("gate"), d_model, values, /*bias=*/false);
  }
  p_.norm = NormLayer(parameters.Scope("norm"), options.norm ? NormKind::kRms : NormKind::kNone,
                      values, heads);
  p_.output = LinearLayer(parameters.Scope("output"), values, d_model, /*bias=*/false);
  slots_ = {{.name = "S", .entry = Shape{heads, dk, dv}}};
  if (options.d_conv > 1) {
    slots_.push_back({.name = "conv",
                      .kind = SlotKind::kRing,
                      .entry = Shape{width},
                      .entries = options.d_conv - 1});
  }
}

template <Scalar T>
Outputs<T> DeltaMixer<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                                  Prepared<T>, Want want) const {
  const Clock& clock = *in.clock;
  const DeltaRuleForm& form = p_.form;
  const bool wants_state = want == Want::kOutputAndState, has_conv = slots_.size() == 2;
  Outputs<T> outputs;
  if (wants_state) outputs.next = tape.NewVars(static_cast<int64_t>(slots_.size()));

  Var<T> qkv = p_.qkv.Apply(tape, in.x);
  if (has_conv) {
    const CausalConvOutputs<T> conv =
        CausalConv(tape, qkv, {0, p_.qkv.out()}, tape.Use(p_.conv), Var<T>{},
                   clock.fresh ? Var<T>{} : state[1], clock, wants_state);
    qkv = conv.y;
    if (wants_state) outputs.next[1] = conv.ring;
  }
  qkv = Activate(tape, Activation::kSilu, qkv);
  qkv = UnitNorm(tape, qkv, 2 * form.heads, form.d_key, kUnitNormEps);
  Var<T> beta = Activate(tape, Activation::kSigmoid, p_.beta.Apply(tape, in.x));
  if (p_.beta_range != 1) beta = Scale(tape, beta, static_cast<T>(p_.beta_range));
  Var<T> log_decay;
  if (p_.gated) {
    const Var<T> steps = Linear(tape, in.x, tape.Use(p_.decay), tape.Use(p_.dt_bias));
    log_decay = LogDecay(tape, steps, tape.Use(p_.a_log), in.dt, static_cast<double>(in.dt_scale));
  }
  const DeltaRuleOutputs<T> memory =
      DeltaRule(tape, qkv, beta, log_decay, clock.fresh ? Var<T>{} : state[0], form, clock);
  if (wants_state) outputs.next[0] = memory.last;
  Var<T> y = p_.norm.Apply(tape, memory.y);
  if (p_.gated) y = GatedProduct(tape, Activation::kSilu, p_.gate.Apply(tape, in.x), y);
  outputs.y = p_.output.Apply(tape, y);
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> DeltaMixer<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                       T dt_scale) const {
  return MakeDeltaStepper<T>(p_, batch, params, dt_scale);
}

template class DeltaMixer<float>;
template class DeltaMixer<double>;

}  // namespace ssm
