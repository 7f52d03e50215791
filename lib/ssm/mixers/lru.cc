#include "ssm/mixers/lru.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "ssm/autograd/ops/complex_weights.h"
#include "ssm/autograd/ops/discretize_diagonal.h"
#include "ssm/autograd/ops/linear.h"
#include "ssm/autograd/ops/pointwise.h"
#include "ssm/mixers/continuous_modes.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

/// Indices of the prepared values.
enum : size_t { kAMinus1, kInput, kOutput };

/// log(-log |lambda|) with |lambda|^2 = u.
double NuLog(double u) { return std::log(-0.5 * std::log(u)); }
/// log sqrt(1 - |lambda|^2).
double GammaLog(double nu_log) { return 0.5 * std::log(-std::expm1(-2 * std::exp(nu_log))); }

}  // namespace

void LruOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("d_state", d_state, {.min = 1, .max = 4096},
              "complex modes of state, shared by all channels");
  const RealRange radius{.min = 0, .max = 1, .open_min = true, .open_max = true};
  visitor.Real("r_min", r_min, radius, "smallest initial |lambda|: what is left after one token");
  visitor.Real("r_max", r_max, radius, "largest initial |lambda|");
  visitor.Real("max_phase", max_phase, {.min = 0, .max = 2 * std::numbers::pi, .open_min = true},
               "largest initial phase of lambda, in radians a token");
}

void LruOptions::Check(Faults& faults) const {
  if (r_min > r_max) faults.Add("r_min", fmt::format("{} is larger than r_max, {}", r_min, r_max));
}

MixerProperties LruOptions::Properties(const MixerContext&) const {
  MixerProperties properties;
  const double low = NuLog(r_max * r_max), high = NuLog(r_min * r_min);
  properties.initial = {{"nu_log", low, high}, {"gamma_log", GammaLog(low), GammaLog(high)}};
  properties.modes = {{"nu_log", 0}, {"theta_log", 0}, {"gamma_log", 0}, {"B", 0}, {"C", 1}};
  properties.per_step_dt = false;
  return properties;
}

template <Scalar T>
Lru<T>::Lru(const LruOptions& options, const MixerContext& context, ParameterBuilder& parameters) {
  const int64_t modes = options.d_state, channels = context.d_model;
  // gamma follows from the radii drawn for nu.
  const auto drawn = std::make_shared<std::vector<double>>();
  const double low = options.r_min * options.r_min, high = options.r_max * options.r_max;
  const auto nu = [=](std::span<double> values, Random& random) {
    for (double& value : values) value = NuLog(random.Uniform(low, high));
    drawn->assign(values.begin(), values.end());
  };
  const auto gamma = [=](std::span<double> values, Random&) {
    std::transform(drawn->begin(), drawn->end(), values.begin(), GammaLog);
  };
  const auto theta = [most = options.max_phase](std::span<double> values, Random& random) {
    for (double& value : values) value = std::log(random.Uniform(0, most));
  };
  nu_log_ = parameters.Add("nu_log", {modes}, nu, "ssm", false);
  theta_log_ = parameters.Add("theta_log", {modes}, theta, "ssm", false);
  gamma_log_ = parameters.Add("gamma_log", {modes}, gamma, "ssm", false);
  const auto deviation = [](int64_t n) { return std::sqrt(0.5 / static_cast<double>(n)); };
  b_ = parameters.Add("B", {modes, channels, 2}, Normal(0, deviation(channels)), "ssm", false);
  c_ = parameters.Add("C", {channels, modes, 2}, Normal(0, deviation(modes)));
  d_ = parameters.Add("D", {channels}, Normal(0, 1));
  slots_ = {{.name = "h", .kind = SlotKind::kFixed, .entry = Shape{modes, 2}}};
}

template <Scalar T>
DiagonalParameters<T> Lru<T>::Continuous(Tape<T>& tape) const {
  const int64_t n = nu_log_.shape[0];
  T* log_unit = tape.Floats(n);
  if (tape.Live()) std::fill_n(log_unit, n, T{0});
  return {tape.Bind(nu_log_.shape, log_unit), tape.Use(nu_log_),
          Activate(tape, Activation::kExp, tape.Use(theta_log_)), 1, DiscretizationRule::kZoh};
}

template <Scalar T>
void Lru<T>::Prepare(Tape<T>& tape, int64_t, T, Prepared<T> prepared) const {
  prepared[kAMinus1] = DiscretizeDiagonal(tape, Continuous(tape)).a_minus_1;
  const Var<T> gamma = Activate(tape, Activation::kExp, tape.Use(gamma_log_));
  prepared[kInput] = ComplexInputWeight(tape, tape.Use(b_), gamma);
  prepared[kOutput] = ComplexOutputWeight(tape, tape.Use(c_), T{1});
}

template <Scalar T>
Outputs<T> Lru<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                           Prepared<T> prepared, Want want) const {
  const ModeSystem<T> system{prepared[kAMinus1], prepared[kInput], prepared[kOutput], tape.Use(d_)};
  return RunModes(tape, in, system, Linear(tape, in.x, system.w_in), state[0], want);
}

template <Scalar T>
std::unique_ptr<Stepper<T>> Lru<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                T dt_scale) const {
  Tape<T> tape(Mode::kInfer, params);
  Var<T> prepared[3];
  Prepare(tape, 1, dt_scale, prepared);
  return MakeModeStepper<T>(
      tape, batch, {prepared[kAMinus1], prepared[kInput], prepared[kOutput], tape.Use(d_)});
}

template <Scalar T>
std::vector<LinearMode> Lru<T>::Modes(ParamView<T> params, T) const {
  Tape<T> tape(Mode::kInfer, params);
  std::vector<LinearMode> modes = ContinuousModesOf(tape, Continuous(tape));
  for (size_t i = 0; i < modes.size(); ++i) {
    const T gamma_log = tape.value(tape.Use(gamma_log_))[i];
    modes[i].write = std::exp(static_cast<double>(gamma_log)) * RowNorm(tape, tape.Use(b_), i);
  }
  return modes;
}

template class Lru<float>;
template class Lru<double>;

}  // namespace ssm
