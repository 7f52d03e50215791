#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/kernels/causal_conv.h"
#include "ssm/mixers/heads.h"
#include "ssm/mixers/mamba2.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

constexpr int64_t kPublishedHeadDim = 64;

}  // namespace

int64_t Mamba2Options::HeadDim(const MixerContext& context) const {
  if (head_dim > 0) return head_dim;
  const int64_t inner = expand * context.d_model;
  int64_t channels = std::min(kPublishedHeadDim, inner);
  while (inner % channels != 0) --channels;
  return channels;
}

void Mamba2Options::VisitFields(FieldVisitor& visitor) {
  visitor.Int("expand", expand, {1, 64}, "inner channels for each of d_model");
  visitor.Int("head_dim", head_dim, {0, 1 << 12},
              "inner channels of one head; 0: the largest divisor of all of them up to 64");
  visitor.Int("d_state", d_state, {1, 1 << 12}, "numbers of state for each inner channel");
  visitor.Int("groups", groups, {1, 1 << 12}, "parts of the heads that share B and C");
  visitor.Int("d_conv", d_conv, {1, kernels::kMaxTaps},
              "tokens the convolution sees, its own included");
  dt.VisitFields(visitor);
  visitor.Real("dt_floor", dt_floor, Positive(), "initial steps below it are raised to it");
  visitor.Real(
      "dt_limit_min", dt_limit_min, NonNegative(),
      "steps are clamped to at least this, before the time between tokens multiplies them");
  visitor.Real("dt_limit_max", dt_limit_max, {.min = 0, .open_min = true, .infinite = true},
               "and to at most this");
  visitor.Real("a_min", a_min, Positive(), "smallest initial rate of decay, per unit of dt");
  visitor.Real("a_max", a_max, Positive(), "largest initial rate of decay");
  VisitChunk(visitor, chunk);
}

void Mamba2Options::Check(Faults& faults) const {
  dt.Check(faults);
  if (dt_limit_min > dt_limit_max) {
    faults.Add("dt_limit_min",
               fmt::format("{} is larger than dt_limit_max, {}", dt_limit_min, dt_limit_max));
  }
  if (a_min > a_max) {
    faults.Add("a_min", fmt::format("{} is larger than a_max, {}", a_min, a_max));
  }
}

void Mamba2Options::CheckIn(const MixerContext& context, Faults& faults) const {
  const int64_t inner = expand * context.d_model, channels = HeadDim(context);
  if (inner % channels != 0) {
    faults.Add(
        "head_dim",
        fmt::format("expand d_model, {} x {} = {}, inner channels are no whole number of heads "
                    "of {}: use {}",
                    expand, context.d_model, inner, channels, PossibleHeads(inner, false)));
    return;
  }
  const int64_t heads = inner / channels;
  if (heads % groups != 0) {
    faults.Add("groups", fmt::format("{} groups cannot share {} heads equally: use {}", groups,
                                     heads, PossibleHeads(heads, false)));
  }
}

MixerProperties Mamba2Options::Properties(const MixerContext& context) const {
  const double bound = 1 / std::sqrt(static_cast<double>(context.d_model));
  MixerProperties properties;
  properties.initial = {dt.SoftplusRange("dt_bias", dt_floor),
                        {"A_log", std::log(a_min), std::log(a_max)},
                        {"D", 1, 1},
                        {"norm.weight", 1, 1},
                        {"in_proj.weight", -bound, bound},
                        {"gate.weight", -bound, bound}};
  properties.lengths = {d_conv, chunk, 2 * chunk};
  return properties;
}

template <Scalar T>
Mamba2<T>::Mamba2(const Mamba2Options& options, const MixerContext& context,
                  ParameterBuilder& parameters) {
  const int64_t d_model = context.d_model, inner = options.expand * d_model;
  form_.channels = options.HeadDim(context);
  form_.heads = inner / form_.channels;
  form_.groups = options.groups;
  form_.d_state = options.d_state;
  form_.taps = options.d_conv;
  form_.chunk = options.chunk;
  form_.low = options.dt_limit_min;
  form_.high = options.dt_limit_max;
  const int64_t heads = form_.heads, mixed = form_.mixed();
  form_.in = LinearLayer(parameters.Scope("in_proj"), d_model, mixed + heads, false);
  form_.gate = LinearLayer(parameters.Scope("gate"), d_model, inner, false);
  const ParameterBuilder conv = parameters.Scope("conv1d");
  ParameterBuilder taps = conv;
  form_.conv_weight = taps.Add("weight", {mixed, form_.taps}, FanIn(form_.taps));
  form_.conv_bias = taps.Add("bias", {mixed}, FanIn(form_.taps), "default", false);
  const Init log_a = [rates = Uniform(options.a_min, options.a_max)](std::span<double> values,
                                                                     Random& random) {
    rates(values, random);
    for (double& value : values) value = std::log(value);
  };
  form_.dt_bias =
      parameters.Add("dt_bias", {heads}, options.dt.SoftplusBias(options.dt_floor), "ssm", false);
  form_.log_a = parameters.Add("A_log", {heads}, log_a, "ssm", false);
  form_.d = parameters.Add("D", {heads}, Ones(), "default", false);
  form_.norm = NormLayer(parameters.Scope("norm"), NormKind::kRms, inner, form_.groups);
  form_.out = LinearLayer(parameters.Scope("out_proj"), inner, d_model, false);
  slots_ = {
      {.name = "conv", .kind = SlotKind::kRing, .entry = Shape{mixed}, .entries = form_.taps - 1},
      {.name = "S", .entry = {heads, form_.d_state, form_.channels}}};
}

template Mamba2<float>::Mamba2(const Mamba2Options&, const MixerContext&, ParameterBuilder&);
template Mamba2<double>::Mamba2(const Mamba2Options&, const MixerContext&, ParameterBuilder&);

}  // namespace ssm
