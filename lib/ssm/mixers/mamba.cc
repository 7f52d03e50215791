#include "ssm/mixers/mamba.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ssm/autograd/ops/causal_conv.h"
#include "ssm/autograd/ops/gated.h"
#include "ssm/autograd/ops/linear.h"
#include "ssm/mixers/mamba_stepper.h"

namespace ssm {
namespace {

/// value(n) for mode n of every channel.
template <class F>
Init EachMode(int64_t modes, F value) {
  return [modes, value](std::span<double> values, Random&) {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = value(static_cast<double>(static_cast<int64_t>(i) % modes));
    }
  };
}

/// 1, or 1 + 0 i as pairs.
Init WriteAll(bool complex) {
  return [complex](std::span<double> values, Random&) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = complex && i % 2 == 1 ? 0 : 1;
  };
}

Init Symmetric(double bound) { return Uniform(-bound, bound); }

}  // namespace

template <Scalar T>
Mamba<T>::Mamba(const MambaOptions& options, const MixerContext& context,
                ParameterBuilder& parameters) {
  const int64_t d_model = context.d_model, e = options.expand * d_model, m = options.modes();
  const bool complex = options.complex;
  const Shape modes{e, m}, numbers = complex ? modes.Append(2) : modes;
  form_.channels = e;
  form_.modes = m;
  form_.rank = options.rank(context);
  form_.taps = options.d_conv;
  form_.scan = {complex, options.rule, options.eigenvalues, !options.selective};
  form_.limits = options.limits;
  form_.in_proj = parameters.Add("in_proj.weight", {2 * e, d_model}, FanIn(d_model));
  form_.conv_weight = parameters.Add("conv1d.weight", {e, form_.taps}, FanIn(form_.taps));
  form_.conv_bias = parameters.Add("conv1d.bias", {e}, FanIn(form_.taps), "default", false);
  if (options.selective) {
    const double bound = 1 / std::sqrt(static_cast<double>(form_.rank));
    form_.x_proj = parameters.Add("x_proj.weight", {form_.rank + 2 * options.d_state, e}, FanIn(e));
    form_.dt_weight = parameters.Add("dt_proj.weight", {e, form_.rank}, Symmetric(bound));
  } else {
    form_.b = parameters.Add("B", numbers, WriteAll(complex), "ssm", false);
    form_.c = parameters.Add("C", numbers, Normal(0, complex ? std::sqrt(0.5) : 1));
  }
  form_.dt_bias =
      parameters.Add("dt_proj.bias", {e}, options.dt.SoftplusBias(options.dt_floor), "ssm", false);
  const auto decay = [complex](double n) { return complex ? std::log(0.5) : std::log(n + 1); };
  form_.a_log = parameters.Add("A_log", modes, EachMode(m, decay), "ssm", false);
  if (complex) {
    const auto turn = [](double n) { return std::numbers::pi * n; };
    form_.a_imag = parameters.Add("A_imag", modes, EachMode(m, turn), "ssm", false);
  }
  form_.d = parameters.Add("D", {e}, Ones(), "ssm", false);
  const double out = 1 / std::sqrt(static_cast<double>(e * context.layers));
  form_.out_proj = parameters.Add("out_proj.weight", {d_model, e}, Symmetric(out));
  slots_ = {{.name = "conv", .kind = SlotKind::kRing, .entry = Shape{e}, .entries = form_.taps - 1},
            {.name = "h", .entry = complex ? Shape{m, 2, e} : Shape{m, e}}};
}

template <Scalar T>
typename Mamba<T>::Choices Mamba<T>::Choose(Tape<T>& tape, Var<T> x) const {
  const Var<T> bias = tape.Use(form_.dt_bias);
  if (form_.scan.fixed) {
    return {bias, {.b = tape.Use(form_.b), .c = tape.Use(form_.c), .fixed = true}};
  }
  const Var<T> chosen = Linear(tape, x, tape.Use(form_.x_proj));
  const int64_t rank = form_.rank, numbers = form_.modes * form_.scan.parts();
  const Var<T> raw =
      Linear(tape, TakeColumns(tape, chosen, {0, rank}), tape.Use(form_.dt_weight), bias);
  return {raw, {.b = chosen, .c = chosen, .b_first = rank, .c_first = rank + numbers}};
}

template <Scalar T>
Outputs<T> Mamba<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                             Prepared<T>, Want want) const {
  const Clock& clock = *in.clock;
  const int64_t e = form_.channels;
  const bool wants_state = want == Want::kOutputAndState;
  const auto before = [&](size_t slot) { return clock.fresh ? Var<T>{} : state[slot]; };
  const Var<T> xz = Linear(tape, in.x, tape.Use(form_.in_proj));
  const CausalConvOutputs<T> conv =
      CausalConv(tape, xz, {0, e}, tape.Use(form_.conv_weight), tape.Use(form_.conv_bias),
                 before(0), clock, wants_state);
  const Var<T> x = Activate(tape, Activation::kSilu, conv.y);
  const Choices choices = Choose(tape, x);
  const Var<T> dt = StepSizes(tape, choices.raw_dt, form_.limits, in.dt, in.dt_scale, clock);
  const SelectivePoles<T> poles{tape.Use(form_.a_log),
                                form_.scan.complex ? tape.Use(form_.a_imag) : Var<T>{},
                                form_.scan.rule, form_.scan.eigenvalues};
  const SelectiveOutputs<T> scan =
      SelectiveScan(tape, x, dt, poles, choices.reads, tape.Use(form_.d), before(1), clock);
  const Var<T> gated = GatedProduct(tape, Activation::kSilu, xz, {e, e}, scan.y);
  Outputs<T> outputs{Linear(tape, gated, tape.Use(form_.out_proj)), {}};
  if (!wants_state) return outputs;
  outputs.next = tape.NewVars(2);
  outputs.next[0] = conv.ring;
  outputs.next[1] = scan.last;
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> Mamba<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                  T dt_scale) const {
  return MakeMambaStepper<T>(form_, batch, params, dt_scale);
}

template <Scalar T>
double Mamba<T>::DecayBound(ParamView<T> params, T dt_scale) const {
  const double scale = static_cast<double>(dt_scale);
  double bound = 0;
  for (int64_t i = 0; i < form_.a_log.shape.size(); ++i) {
    const double rate = std::exp(static_cast<double>(params.values[form_.a_log.offset + i]));
    const double slow = std::exp(-rate * scale * form_.limits.least);
    const double fast = std::exp(-rate * scale * form_.limits.most);
    const double size = form_.scan.eigenvalues == Eigenvalues::kSigned
                            ? std::max(std::abs(2 * slow - 1), std::abs(2 * fast - 1))
                            : slow;
    bound = std::max(bound, size);
  }
  return bound < 1 ? bound : std::numeric_limits<double>::quiet_NaN();
}

template class Mamba<float>;
template class Mamba<double>;

}  // namespace ssm
