#include "ssm/mixers/s5.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/autograd/ops/complex_weights.h"
#include "ssm/autograd/ops/irregular_modes.h"
#include "ssm/autograd/ops/linear.h"
#include "ssm/mixers/continuous_modes.h"
#include "ssm/nn/init.h"
#include "ssm/systems/hippo.h"

namespace ssm {
namespace {

/// Indices of the prepared values.
enum : size_t { kAMinus1, kInput, kOutput };

}  // namespace

void S5Options::VisitFields(FieldVisitor& visitor) {
  visitor.Int("d_state", d_state, {.min = 2, .max = 4096},
              "real numbers of state, shared by all channels: d_state / 2 conjugate pairs");
  visitor.Int("blocks", blocks, {.min = 1, .max = 2048},
              "copies of HiPPO-LegS's spectrum, of order d_state / blocks each, the state starts "
              "with");
  visitor.Choice<DiscretizationRule>(
      "rule", rule,
      {{"zoh", DiscretizationRule::kZoh}, {"bilinear", DiscretizationRule::kBilinear}},
      "discretisation: exact for x_t held on ((t-1) dt, t dt], or trapezoidal");
  dt.VisitFields(visitor);
}

void S5Options::Check(Faults& faults) const {
  if (d_state % (2 * blocks) != 0) {
    faults.Add("d_state", fmt::format("{} does not divide into {} blocks of conjugate pairs: use a "
                                      "multiple of {}",
                                      d_state, blocks, 2 * blocks));
  }
  dt.Check(faults);
}

MixerProperties S5Options::Properties(const MixerContext&) const {
  MixerProperties properties;
  properties.initial = {dt.Range(), {"log_A_real", std::log(0.5), std::log(0.5)}};
  properties.modes = {{"log_dt", 0}, {"log_A_real", 0}, {"A_imag", 0}, {"B", 0}, {"C", 1}};
  properties.zero_order_hold = rule == DiscretizationRule::kZoh;
  return properties;
}

template <Scalar T>
S5<T>::S5(const S5Options& options, const MixerContext& context, ParameterBuilder& parameters)
    : rule_(options.rule) {
  const int64_t modes = options.modes(), channels = context.d_model;
  const double state = static_cast<double>(options.d_state);
  log_dt_ = parameters.Add("log_dt", {modes}, options.dt.LogDt(), "ssm", false);
  log_a_real_ = parameters.Add("log_A_real", {modes}, Constant(std::log(0.5)), "ssm", false);
  const auto frequencies = [order = options.d_state / options.blocks](std::span<double> values,
                                                                      Random&) {
    const std::vector<double> block = LegsNormalFrequencies(order);
    for (size_t i = 0; i < values.size(); ++i) values[i] = block[i % block.size()];
  };
  a_imag_ = parameters.Add("A_imag", {modes}, frequencies, "ssm", false);
  b_ = parameters.Add("B", {modes, channels, 2}, Normal(0, std::sqrt(0.5 / state)), "ssm", false);
  c_ = parameters.Add("C", {channels, modes, 2}, Normal(0, std::sqrt(1 / state)));
  d_ = parameters.Add("D", {channels}, Normal(0, 1));
  slots_ = {{.name = "h", .kind = SlotKind::kFixed, .entry = Shape{modes, 2}}};
}

template <Scalar T>
DiagonalParameters<T> S5<T>::Continuous(Tape<T>& tape, T dt_scale) const {
  return {tape.Use(log_dt_), tape.Use(log_a_real_), tape.Use(a_imag_),
          static_cast<double>(dt_scale), rule_};
}

template <Scalar T>
void S5<T>::Prepare(Tape<T>& tape, int64_t, T dt_scale, Prepared<T> prepared) const {
  const DiscreteDiagonal<T> system = DiscretizeDiagonal(tape, Continuous(tape, dt_scale));
  prepared[kAMinus1] = system.a_minus_1;
  prepared[kInput] = ComplexInputWeight(tape, tape.Use(b_), system.b_bar);
  prepared[kOutput] = ComplexOutputWeight(tape, tape.Use(c_), T{2});
}

template <Scalar T>
Outputs<T> S5<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                          Prepared<T> prepared, Want want) const {
  ModeSystem<T> system{prepared[kAMinus1], prepared[kInput], prepared[kOutput], tape.Use(d_)};
  Var<T> driven;
  if (in.dt) {
    const Var<T> weight = ComplexInputWeight(tape, tape.Use(b_), Var<T>{});
    const IrregularModeOutputs<T> each =
        IrregularModes(tape, Linear(tape, in.x, weight), in.dt, Continuous(tape, in.dt_scale));
    system.a_minus_1 = each.a_minus_1;
    driven = each.input;
  } else {
    driven = Linear(tape, in.x, system.w_in);
  }
  return RunModes(tape, in, system, driven, state[0], want);
}

template <Scalar T>
std::unique_ptr<Stepper<T>> S5<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                               T dt_scale) const {
  Tape<T> tape(Mode::kInfer, params);
  Var<T> prepared[3];
  Prepare(tape, 1, dt_scale, prepared);
  const ContinuousModes<T> continuous{Continuous(tape, dt_scale),
                                      ComplexInputWeight(tape, tape.Use(b_), Var<T>{})};
  return MakeModeStepper<T>(tape, batch,
                            {prepared[kAMinus1], prepared[kInput], prepared[kOutput], tape.Use(d_)},
                            &continuous);
}

template <Scalar T>
std::vector<LinearMode> S5<T>::Modes(ParamView<T> params, T dt_scale) const {
  Tape<T> tape(Mode::kInfer, params);
  std::vector<LinearMode> modes = ContinuousModesOf(tape, Continuous(tape, dt_scale));
  for (size_t i = 0; i < modes.size(); ++i) modes[i].write *= RowNorm(tape, tape.Use(b_), i);
  return modes;
}

template class S5<float>;
template class S5<double>;

}  // namespace ssm
