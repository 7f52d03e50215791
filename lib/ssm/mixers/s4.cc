#include "ssm/mixers/s4.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/autograd/ops/cauchy_kernel.h"
#include "ssm/autograd/ops/complex_weights.h"
#include "ssm/autograd/ops/dense_channel_scan.h"
#include "ssm/autograd/ops/dense_kernel.h"
#include "ssm/autograd/ops/dplr_scan.h"
#include "ssm/autograd/ops/fft_conv.h"
#include "ssm/autograd/ops/pointwise.h"
#include "ssm/kernels/direct_conv.h"
#include "ssm/kernels/time_tiles.h"
#include "ssm/mixers/channel_stepper.h"
#include "ssm/mixers/s4_init.h"
#include "ssm/mixers/s4_stepper.h"

namespace ssm {
namespace {

/// Indices of the prepared values; a kernel stands last.
enum : size_t { kAMinus1, kV, kF, kB };
/// The same with zoh.
enum : size_t { kStepMinus1, kInput, kRead };

template <Scalar T>
DiscreteDplr<T> SystemIn(Prepared<T> prepared) {
  return {prepared[kAMinus1], prepared[kV], prepared[kF], prepared[kB]};
}

template <Scalar T>
DiscreteChannels<T> ChannelsIn(Prepared<T> prepared) {
  return {prepared[kStepMinus1], prepared[kInput]};
}

}  // namespace

void S4Options::VisitFields(FieldVisitor& visitor) {
  visitor.Int("d_state", d_state, {.min = 2, .max = 1024},
              "real numbers of state in each channel: N/2 conjugate pairs");
  visitor.Choice<S4Init>("init", init, {{"legs", S4Init::kLegs}},
                         "where A and B start: HiPPO-LegS in the basis of its normal part");
  visitor.Choice<DiscretizationRule>(
      "rule", rule,
      {{"bilinear", DiscretizationRule::kBilinear}, {"zoh", DiscretizationRule::kZoh}},
      "discretisation: trapezoidal, O(d_state) a token, or exact for x_t held on ((t-1) dt, t dt], "
      "O(d_state^2)");
  visitor.Choice<S4Evaluation>(
      "evaluation", evaluation,
      {{"auto", S4Evaluation::kAuto}, {"fft", S4Evaluation::kFft}, {"scan", S4Evaluation::kScan}},
      "auto: scan when a state goes in or out, else fft; mid-sequence starts "
      "and padding always scan");
  dt.VisitFields(visitor);
}

void S4Options::Check(Faults& faults) const {
  if (d_state % 2 != 0) {
    faults.Add("d_state", fmt::format("{} is odd, but modes come in conjugate pairs: use an even "
                                      "number",
                                      d_state));
  }
  dt.Check(faults);
}

MixerProperties S4Options::Properties(const MixerContext&) const {
  MixerProperties properties;
  properties.initial = {dt.Range(), {"log_A_real", std::log(0.5), std::log(0.5)}};
  properties.modes = {{"log_A_real", 1}, {"A_imag", 1}, {"P", 1}, {"B", 1}, {"C", 1}};
  properties.zero_order_hold = rule == DiscretizationRule::kZoh;
  properties.per_step_dt = false;
  properties.scaled_dt = true;
  properties.lengths = {kernels::kTileSteps, kernels::kDirectConvSteps};
  return properties;
}

template <Scalar T>
S4<T>::S4(const S4Options& options, const MixerContext& context, ParameterBuilder& parameters)
    : zoh_(options.rule == DiscretizationRule::kZoh), evaluation_(options.evaluation) {
  const int64_t channels = context.d_model;
  const Shape modes{channels, options.modes()}, numbers = modes.Append(2);
  log_dt_ = parameters.Add("log_dt", {channels}, options.dt.LogDt(), "ssm", false);
  log_a_real_ = parameters.Add("log_A_real", modes, Constant(std::log(0.5)), "ssm", false);
  a_imag_ = parameters.Add("A_imag", modes, S4FrequencyInit(options), "ssm", false);
  p_ = parameters.Add("P", numbers, S4LowRankInit(options), "ssm", false);
  b_ = parameters.Add("B", numbers, S4InputInit(options), "ssm", false);
  c_ = parameters.Add("C", numbers, Normal(0, std::sqrt(0.5)));
  d_ = parameters.Add("D", {channels}, Normal(0, 1));
  slots_ = {{.name = "h", .kind = SlotKind::kFixed, .entry = numbers}};
}

template <Scalar T>
int64_t S4<T>::PreparedCount() const {
  return (zoh_ ? 3 : 4) + (HasKernel() ? 1 : 0);
}

template <Scalar T>
DplrParameters<T> S4<T>::Continuous(Tape<T>& tape, T dt_scale) const {
  return {tape.Use(log_dt_), tape.Use(log_a_real_), tape.Use(a_imag_),
          tape.Use(p_),      tape.Use(b_),          static_cast<double>(dt_scale)};
}

template <Scalar T>
void S4<T>::Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const {
  if (zoh_) {
    const DiscreteChannels<T> system = DiscretizeDplrZoh<T>(tape, Continuous(tape, dt_scale));
    prepared[kStepMinus1] = system.a_minus_1;
    prepared[kInput] = system.b_bar;
    prepared[kRead] = ComplexOutputWeight(tape, tape.Use(c_), T{2});
    if (HasKernel()) {
      prepared.back() =
          DenseKernel(tape, system.a_minus_1, system.b_bar, prepared[kRead], tape.Use(d_), longest);
    }
    return;
  }
  const DiscreteDplr<T> system = DiscretizeDplr<T>(tape, Continuous(tape, dt_scale));
  prepared[kAMinus1] = system.a_minus_1;
  prepared[kV] = system.v;
  prepared[kF] = system.f;
  prepared[kB] = system.b;
  if (HasKernel()) {
    prepared.back() = CauchyKernel(tape, system, tape.Use(c_), tape.Use(d_), longest);
  }
}

template <Scalar T>
bool S4<T>::UsesFft(const Clock& clock, Want want) const {
  if (!HasKernel() || !clock.whole) return false;
  return evaluation_ == S4Evaluation::kFft || (clock.fresh && want == Want::kOutput);
}

template <Scalar T>
typename S4<T>::Walked S4<T>::Walk(Tape<T>& tape, Prepared<T> prepared, Var<T> u, bool read,
                                   Var<T> h0, bool want_last, const Clock& clock) const {
  const Var<T> none, skip = read && u ? tape.Use(d_) : none;
  if (zoh_) {
    const ChannelScanOutputs<T> out =
        ChannelScan<T>(tape, ChannelsIn<T>(prepared),
                       {u, read ? prepared[kRead] : none, skip, h0, want_last}, clock);
    return {out.y, out.last};
  }
  const DplrScanOutputs<T> out = DplrScan<T>(
      tape, SystemIn<T>(prepared), {u, read ? tape.Use(c_) : none, skip, h0, want_last}, clock);
  return {out.y, out.last};
}

template <Scalar T>
Outputs<T> S4<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                          Prepared<T> prepared, Want want) const {
  const Clock& clock = *in.clock;
  const Var<T> h0 = clock.fresh ? Var<T>{} : state[0];
  const bool wants_state = want == Want::kOutputAndState;
  Walked result;
  if (UsesFft(clock, want)) {
    result.y = FftConv(tape, in.x, prepared.back());
    if (!clock.fresh) {
      const Var<T> response = Walk(tape, prepared, {}, true, h0, false, clock).y;
      result.y = Add(tape, result.y, response);
    }
    if (wants_state) result.last = Walk(tape, prepared, in.x, false, h0, true, clock).last;
  } else {
    result = Walk(tape, prepared, in.x, true, h0, wants_state, clock);
  }
  Outputs<T> outputs{result.y, {}};
  if (wants_state) {
    outputs.next = tape.NewVars(1);
    outputs.next[0] = result.last;
  }
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> S4<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                               T dt_scale) const {
  Tape<T> tape(Mode::kInfer, params);
  const DplrParameters<T> continuous = Continuous(tape, dt_scale);
  if (zoh_) {
    const DiscreteChannels<T> system = DiscretizeDplrZoh<T>(tape, continuous);
    const Var<T> read = ComplexOutputWeight(tape, tape.Use(c_), T{2});
    return MakeChannelStepper<T>(tape, batch, {system, read, tape.Use(d_)});
  }
  const DiscreteDplr<T> system = DiscretizeDplr<T>(tape, continuous);
  return MakeS4Stepper<T>(tape, batch, {system, tape.Use(c_), tape.Use(d_)});
}

template class S4<float>;
template class S4<double>;

}  // namespace ssm
