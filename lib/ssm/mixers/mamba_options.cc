#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "ssm/mixers/mamba.h"

namespace ssm {

void MambaOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("expand", expand, {.min = 1, .max = 64}, "inner channels for each of d_model");
  visitor.Int("d_state", d_state, {.min = 1, .max = 4096},
              "real numbers of state in each inner channel");
  visitor.Int("d_conv", d_conv, {.min = 1, .max = 8},
              "tokens the convolution sees, its own included");
  visitor.Int("dt_rank", dt_rank, {.min = 0, .max = 1 << 16},
              "numbers that a token's steps are made from; 0: d_model / 16, rounded up");
  visitor.Choice<WriteRule>("rule", rule, {{"euler", WriteRule::kEuler}, {"zoh", WriteRule::kZoh}},
                            "what multiplies B x: dt, as published, or (exp(dt A) - 1) / A, exact "
                            "for an input held over the step");
  visitor.Choice<Eigenvalues>(
      "eigenvalues", eigenvalues,
      {{"positive", Eigenvalues::kPositive}, {"signed", Eigenvalues::kSigned}},
      "what a state keeps of itself: exp(dt A), in [0, 1], or 2 exp(dt A) - 1, in [-1, 1]");
  visitor.Bool("complex", complex,
               "conjugate pairs from -1/2 + i pi n on, d_state / 2 of them, for real modes");
  visitor.Bool(
      "selective", selective,
      "false: dt, B and C are learned constants of each channel, the same for every token");
  dt.VisitFields(visitor);
  visitor.Real("dt_floor", dt_floor, NonNegative(), "initial steps below it are raised to it");
  visitor.Real(
      "dt_limit_min", limits.least, NonNegative(),
      "steps are clamped to at least this, before the time between tokens multiplies them");
  visitor.Real("dt_limit_max", limits.most, {.min = 0, .open_min = true, .infinite = true},
               "and to at most this");
}

void MambaOptions::Check(Faults& faults) const {
  dt.Check(faults);
  if (limits.least > limits.most) {
    faults.Add("dt_limit_min",
               fmt::format("{} is larger than dt_limit_max, {}", limits.least, limits.most));
  }
  if (complex && d_state % 2 != 0) {
    faults.Add("d_state",
               fmt::format("{} is odd, but complex modes come in conjugate pairs: use an "
                           "even number, or \"complex\": false",
                           d_state));
  }
  if (eigenvalues != Eigenvalues::kSigned) return;
  if (complex) {
    faults.Add("eigenvalues",
               "\"signed\" is of real modes: complex ones turn through negative numbers already");
  }
  if (rule == WriteRule::kZoh) {
    faults.Add("eigenvalues",
               "\"signed\" goes with rule \"euler\": no continuous system has such steps, so there "
               "is nothing to hold an input over");
  }
}

int64_t MambaOptions::rank(const MixerContext& context) const {
  return dt_rank > 0 ? dt_rank : (context.d_model + 15) / 16;
}

MixerProperties MambaOptions::Properties(const MixerContext& context) const {
  const double bound = 1 / std::sqrt(static_cast<double>(rank(context)));
  const double modes_end = static_cast<double>(modes());
  MixerProperties properties;
  properties.initial = {
      dt.SoftplusRange("dt_proj.bias", dt_floor),
      {"A_log", complex ? std::log(0.5) : 0, complex ? std::log(0.5) : std::log(modes_end)},
      {"D", 1, 1}};
  if (selective) properties.initial.push_back({"dt_proj.weight", -bound, bound});
  if (complex) properties.initial.push_back({"A_imag", 0, std::numbers::pi * (modes_end - 1)});
  properties.lengths = {kernels::kTileSteps};
  return properties;
}

}  // namespace ssm
