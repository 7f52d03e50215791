#include <fmt/format.h>

#include <cmath>

#include "ssm/base/text.h"
#include "ssm/mixers/hippo.h"
#include "ssm/mixers/recurrent_mixer.h"

namespace ssm {
namespace {

/// LegS's transient by forward Euler is 1e4 here, 5e9 at 16 and 1e21 at 32: float has 7 digits.
constexpr int64_t kMostForward = 8;

}  // namespace

void HippoMixerOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Choice<HippoMeasure>(
      "measure", measure,
      {{"legs", HippoMeasure::kLegS},
       {"legt", HippoMeasure::kLegT},
       {"lmu", HippoMeasure::kLmu},
       {"lagt", HippoMeasure::kLagT},
       {"fout", HippoMeasure::kFouT}},
      "what is kept: all history in equal shares (legs), a sliding window in Legendre polynomials "
      "(legt, lmu: scaled as the LMU has them) or Fourier series (fout), or a fading past (lagt)");
  visitor.Int("d_state", d_state, {1, 512}, "coefficients of each memory");
  visitor.Int("memories", memories, {1, 4096}, "signals remembered, each read in from the input");
  visitor.Choice<HippoAround>(
      "cell", cell,
      {{"linear", HippoAround::kLinear},
       {"hippo_rnn", HippoAround::kHippoRnn},
       {"lmu", HippoAround::kLmu}},
      "what reads in and out: linear maps, HiPPO-RNN's gated cell or the LMU's tanh cell");
  VisitHidden(visitor, d_hidden);
  visitor.Real("timescale", timescale, Positive(),
               "tokens in the window, or of lagt in the unit of time of its decay e^(-t/2); sets "
               "the initial dt; legs has none");
  visitor.Bool("learn_dt", learn_dt, "whether dt is trained; legs has none");
  visitor.Choice<StepRule>("rule", rule,
                           {{"zoh", StepRule::kZoh},
                            {"bilinear", StepRule::kBilinear},
                            {"forward_euler", StepRule::kForwardEuler},
                            {"backward_euler", StepRule::kBackwardEuler}},
                           "discretisation: zoh, exact for x_t held on ((t-1) dt, t dt] (of legs "
                           "in O(N^2)), or bilinear, of legs Euler's "
                           "too");
  visitor.Choice<LegsStart>(
      "start", start, {{"zero", LegsStart::kZero}, {"first_sample", LegsStart::kFirstSample}},
      "where legs begins: at zero, with t = 1 for the first token, or at the first token's own "
      "projection");
}

void HippoMixerOptions::Check(Faults& faults) const {
  const bool legs = measure == HippoMeasure::kLegS;
  const bool euler = rule == StepRule::kForwardEuler || rule == StepRule::kBackwardEuler;
  if (cell == HippoAround::kLinear && d_hidden != 0) {
    faults.Add("d_hidden", fmt::format("{} is for the cells hippo_rnn and lmu; linear has no "
                                       "hidden state: leave it at 0",
                                       d_hidden));
  }
  if (measure == HippoMeasure::kFouT && d_state % 2 != 0) {
    faults.Add("d_state", fmt::format("{} is odd, but fout keeps cosines and sines in pairs: use "
                                      "an even number",
                                      d_state));
  }
  if (euler && !legs) {
    faults.Add("rule", fmt::format("{} is for legs; {} steps by zoh or bilinear", NameOf(rule),
                                   NameOf(measure)));
  }
  if (rule == StepRule::kForwardEuler && legs && d_state > kMostForward) {
    faults.Add("d_state", fmt::format("forward_euler lets legs grow by many orders of magnitude "
                                      "over its first {} tokens; use at most {}, or bilinear",
                                      d_state, kMostForward));
  }
  if (start == LegsStart::kFirstSample && !legs) {
    faults.Add("start",
               fmt::format("first_sample is for legs; {} starts at zero", NameOf(measure)));
  }
}

MixerKind HippoMixerOptions::Kind() const {
  if (cell != HippoAround::kLinear) return MixerKind::kNonlinear;
  return measure == HippoMeasure::kLegS ? MixerKind::kTimeVarying : MixerKind::kTimeInvariant;
}

HippoMemoryForm HippoMixerOptions::Memory() const {
  return {measure, d_state, memories, timescale, learn_dt, rule, start};
}

HippoCellForm HippoMixerOptions::Cell(const MixerContext& context) const {
  return {cell == HippoAround::kLmu ? MemoryCell::kTanh : MemoryCell::kGated, context.d_model,
          d_hidden == 0 ? context.d_model : d_hidden};
}

MixerProperties HippoMixerOptions::Properties(const MixerContext& context) const {
  MixerProperties properties;
  const HippoMemoryForm memory = Memory();
  if (memory.TrainsDt()) {
    const double log_dt = std::log(memory.InitialDt());
    properties.initial.push_back({"log_dt", log_dt, log_dt});
  }
  const double d = static_cast<double>(context.d_model);
  const double hidden = static_cast<double>(Cell(context).hidden);
  const double kept = static_cast<double>(memories * d_state);
  const auto within = [&](const char* name, double bound) {
    properties.initial.push_back({name, -bound, bound});
  };
  switch (cell) {
    case HippoAround::kLinear:
      within("encode_x", 1 / std::sqrt(d));
      for (const char* name : {"read_c", "read_x", "read_bias"})
        within(name, 1 / std::sqrt(d + kept));
      break;
    case HippoAround::kHippoRnn:
      for (const char* name : {"encode_x", "encode_h"}) within(name, 1 / std::sqrt(d + hidden));
      for (const char* name : {"weight_x", "weight_c", "bias"})
        within(name, 1 / std::sqrt(d + kept));
      break;
    case HippoAround::kLmu:
      within("encode_x", std::sqrt(3 / d));
      within("encode_h", std::sqrt(3 / hidden));
      within("encode_c", 0);
      break;
  }
  properties.zero_order_hold = rule == StepRule::kZoh && Kind() == MixerKind::kTimeInvariant;
  properties.per_step_dt = false;
  properties.scaled_dt = cell == HippoAround::kLinear;  // legs needs none: its step has no unit
  return properties;
}

}  // namespace ssm
