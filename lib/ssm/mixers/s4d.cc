#include "ssm/mixers/s4d.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/autograd/ops/diagonal_final_state.h"
#include "ssm/autograd/ops/diagonal_response.h"
#include "ssm/autograd/ops/fft_conv.h"
#include "ssm/autograd/ops/repeat.h"
#include "ssm/autograd/ops/s4d_kernel.h"
#include "ssm/autograd/ops/s4d_scan.h"
#include "ssm/autograd/ops/s4d_scan_irregular.h"
#include "ssm/kernels/direct_conv.h"
#include "ssm/kernels/time_tiles.h"
#include "ssm/mixers/continuous_modes.h"
#include "ssm/mixers/s4d_init.h"
#include "ssm/mixers/s4d_stepper.h"

namespace ssm {
namespace {

/// Indices of the prepared values.
enum : size_t { kAMinus1, kBBar, kKernel };

/// Real numbers of state in a channel up to which a scan costs less than kernel and transforms.
constexpr int64_t kScanReals = 16;

}  // namespace

void S4dOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("d_state", d_state, {.min = 1, .max = 4096},
              "real numbers of state in each channel: N/2 conjugate pairs, or N real modes");
  visitor.Choice<S4dInit>("init", init,
                          {{"lin", S4dInit::kLin},
                           {"inv", S4dInit::kInv},
                           {"legs", S4dInit::kLegs},
                           {"quad", S4dInit::kQuad},
                           {"foutd", S4dInit::kFoutd},
                           {"rand", S4dInit::kRand},
                           {"real", S4dInit::kReal}},
                          "where the poles start: -1/2 + i w with w = pi n, the inverse law, "
                          "HiPPO-LegS's normal part, (2n+1)^2 / pi, 2 pi n or drawn for each "
                          "channel; or -(n+1) in real arithmetic");
  visitor.Choice<DiscretizationRule>(
      "rule", rule,
      {{"zoh", DiscretizationRule::kZoh}, {"bilinear", DiscretizationRule::kBilinear}},
      "discretisation: exact for x_t held on ((t-1) dt, t dt], or trapezoidal");
  visitor.Choice<S4dEvaluation>(
      "evaluation", evaluation,
      {{"auto", S4dEvaluation::kAuto},
       {"fft", S4dEvaluation::kFft},
       {"scan", S4dEvaluation::kScan}},
      "auto: scan up to d_state 16 or when a state goes in or out, else fft; mid-sequence starts, "
      "padding and per-token dt always scan");
  visitor.Choice<S4dStep>("dt", step,
                          {{"channel", S4dStep::kChannel}, {"shared", S4dStep::kShared}},
                          "a dt for each channel, or one for all");
  dt.VisitFields(visitor);
}

void S4dOptions::Check(Faults& faults) const {
  if (complex() && d_state % 2 != 0) {
    faults.Add("d_state",
               fmt::format("{} is odd, but complex modes come in conjugate pairs: use an "
                           "even number, or init \"real\"",
                           d_state));
  }
  dt.Check(faults);
}

MixerProperties S4dOptions::Properties(const MixerContext&) const {
  MixerProperties properties;
  const double last = init == S4dInit::kReal ? std::log(static_cast<double>(modes())) : 0;
  const double decay = init == S4dInit::kReal ? 0 : std::log(0.5);
  properties.initial = {dt.Range(), {"log_A_real", decay, decay + last}};
  properties.modes = {{"log_A_real", 1}, {"C", 1}};
  if (complex()) properties.modes.push_back({"A_imag", 1});
  properties.zero_order_hold = rule == DiscretizationRule::kZoh;
  properties.lengths = {kernels::kTileSteps, kernels::kDirectConvSteps};
  return properties;
}

template <Scalar T>
S4d<T>::S4d(const S4dOptions& options, const MixerContext& context, ParameterBuilder& parameters)
    : rule_(options.rule),
      evaluation_(options.evaluation),
      step_(options.step),
      complex_(options.complex()),
      channels_(context.d_model),
      modes_(options.modes()) {
  const Shape modes{channels_, modes_};
  const Shape numbers = complex_ ? modes.Append(2) : modes;
  log_dt_ = parameters.Add("log_dt", {step_ == S4dStep::kShared ? 1 : channels_},
                           options.dt.LogDt(), "ssm", false);
  log_a_real_ = parameters.Add("log_A_real", modes, PoleDecayInit(options), "ssm", false);
  if (complex_) {
    a_imag_ = parameters.Add("A_imag", modes, PoleFrequencyInit(options), "ssm", false);
  }
  c_ = parameters.Add("C", numbers, Normal(0, complex_ ? std::sqrt(0.5) : 1));
  d_ = parameters.Add("D", {channels_}, Normal(0, 1));
  slots_ = {{.name = "h", .kind = SlotKind::kFixed, .entry = numbers}};
}

template <Scalar T>
int64_t S4d<T>::PreparedCount() const {
  const bool small = modes_ * (complex_ ? 2 : 1) <= kScanReals;
  const bool scan = evaluation_ == S4dEvaluation::kScan;
  return scan || (evaluation_ == S4dEvaluation::kAuto && small) ? 2 : 3;
}

template <Scalar T>
DiagonalParameters<T> S4d<T>::Continuous(Tape<T>& tape, T dt_scale) const {
  Var<T> log_dt = tape.Use(log_dt_);
  if (step_ == S4dStep::kShared) log_dt = Repeat(tape, log_dt, channels_);
  return {log_dt, tape.Use(log_a_real_), complex_ ? tape.Use(a_imag_) : Var<T>{},
          static_cast<double>(dt_scale), rule_};
}

template <Scalar T>
void S4d<T>::Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const {
  const DiscreteDiagonal<T> system = DiscretizeDiagonal(tape, Continuous(tape, dt_scale));
  prepared[kAMinus1] = system.a_minus_1;
  prepared[kBBar] = system.b_bar;
  if (PreparedCount() == 3) {
    prepared[kKernel] = S4dKernel(tape, system, tape.Use(c_), tape.Use(d_), longest);
  }
}

template <Scalar T>
bool S4d<T>::UsesFft(const Inputs<T>& in, Want want) const {
  const Clock& clock = *in.clock;
  if (PreparedCount() < 3 || in.dt || !clock.whole) return false;
  return evaluation_ == S4dEvaluation::kFft || (clock.fresh && want == Want::kOutput);
}

template <Scalar T>
Outputs<T> S4d<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                           Prepared<T> prepared, Want want) const {
  const Clock& clock = *in.clock;
  const DiscreteDiagonal<T> system{prepared[kAMinus1], prepared[kBBar]};
  const Var<T> c = tape.Use(c_);
  const Var<T> h0 = clock.fresh ? Var<T>{} : state[0];
  const bool wants_state = want == Want::kOutputAndState;
  ScanOutputs<T> result;
  if (UsesFft(in, want)) {
    result.y = FftConv(tape, in.x, prepared[kKernel]);
    if (!clock.fresh) result.y = DiagonalResponse(tape, result.y, system, c, h0, clock);
    if (wants_state) result.last = DiagonalFinalState(tape, in.x, system, h0, clock);
  } else if (in.dt) {
    result = S4dScanIrregular(tape, in.x, in.dt, Continuous(tape, in.dt_scale), c, tape.Use(d_), h0,
                              clock);
  } else {
    result = S4dScan(tape, in.x, system, c, tape.Use(d_), h0, clock);
  }
  Outputs<T> outputs{result.y, {}};
  if (wants_state) {
    outputs.next = tape.NewVars(1);
    outputs.next[0] = result.last;
  }
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> S4d<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                T dt_scale) const {
  Tape<T> tape(Mode::kInfer, params);
  const DiagonalParameters<T> continuous = Continuous(tape, dt_scale);
  const DiscreteDiagonal<T> system = DiscretizeDiagonal(tape, continuous);
  return MakeS4dStepper<T>(tape, batch, {continuous, system, tape.Use(c_), tape.Use(d_)});
}

template <Scalar T>
std::vector<LinearMode> S4d<T>::Modes(ParamView<T> params, T dt_scale) const {
  Tape<T> tape(Mode::kInfer, params);
  return ContinuousModesOf(tape, Continuous(tape, dt_scale));
}

template class S4d<float>;
template class S4d<double>;

}  // namespace ssm
