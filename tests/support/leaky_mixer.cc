#include "support/leaky_mixer.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"

namespace ssm::test {
namespace {

template <Scalar T>
T Sigmoid(T z) {
  return 1 / (1 + std::exp(-z));
}

/// One channel of one token: the decay and what the backward needs of it.
template <Scalar T>
struct Decay {
  Decay(T rate, T dt, const T* gate, T x)
      : open(gate != nullptr ? Sigmoid(*gate * x) : T{1}),
        exponent(rate * dt * open),
        a(std::exp(-exponent)) {}
  T open, exponent, a;
};

/// rate = dt_scale exp(log_rate).
template <Scalar T>
Var<T> Rates(Tape<T>& tape, Var<T> log_rate, T dt_scale) {
  const int64_t size = tape.shape(log_rate).size();
  const Var<T> rate = tape.New(tape.shape(log_rate));
  for (int64_t d = 0; tape.Live() && d < size; ++d) {
    tape.out(rate)[d] = dt_scale * std::exp(tape.value(log_rate)[d]);
  }
  tape.Record("leaky_rate", {log_rate}, {rate}, 2.0 * static_cast<double>(size), [=](Tape<T>& t) {
    T* d_log = t.acc(log_rate);
    for (int64_t d = 0; d_log != nullptr && d < size; ++d) {
      d_log[d] += t.grad(rate)[d] * t.value(rate)[d];
    }
  });
  return rate;
}

/// The scan's inputs, outputs and positions: all a closure needs.
template <Scalar T>
struct Scan {
  Var<T> x, rate, gate, start, state, dt, y, next;
  Ints pos;
  int64_t rows, steps, width;

  /// h before token t of row b; `from_start`: it is the learned s_0.
  T Before(const Tape<T>& t, int64_t b, int64_t at, int64_t d) const {
    if (pos[static_cast<size_t>(b * steps + at)] == 0) return t.value(start)[d];
    if (at == 0) return t.value(state)[b * width + d];
    return t.value(y)[(b * steps + at - 1) * width + d];
  }
  Decay<T> DecayAt(const Tape<T>& t, int64_t b, int64_t at, int64_t d) const {
    const T step = dt ? t.value(dt)[b * steps + at] : T{1};
    const T* open = gate ? t.value(gate) + d : nullptr;
    return {t.value(rate)[d], step, open, t.value(x)[(b * steps + at) * width + d]};
  }
  void Forward(Tape<T>& t) const {
    for (int64_t i = 0; i < rows * steps * width; ++i) {
      const int64_t d = i % width, at = i / width % steps, b = i / width / steps;
      const T before = Before(t, b, at, d);
      const bool real = pos[static_cast<size_t>(b * steps + at)] >= 0;
      t.out(y)[i] = real ? DecayAt(t, b, at, d).a * before + t.value(x)[i] : before;
    }
    for (int64_t b = 0; next && b < rows; ++b) {
      const T* last = t.value(y) + (b * steps + steps - 1) * width;
      std::copy_n(last, width, t.out(next) + b * width);
    }
  }
  void Backward(Tape<T>& t) const {
    for (int64_t b = 0; b < rows; ++b) {
      for (int64_t d = 0; d < width; ++d) BackwardChannel(t, b, d);
    }
  }
  void BackwardChannel(Tape<T>& t, int64_t b, int64_t d) const {
    const T* d_next = next ? t.grad(next) : nullptr;
    T* d_start = t.acc(start);
    T carried = d_next != nullptr ? d_next[b * width + d] : T{0};
    for (int64_t at = steps - 1; at >= 0; --at) {
      const int64_t i = (b * steps + at) * width + d;
      const int64_t position = pos[static_cast<size_t>(b * steps + at)];
      if (const T* d_y = t.grad(y)) carried += d_y[i];
      if (position < 0) continue;
      carried = BackwardToken(t, b, at, d, carried);
      if (position > 0) continue;
      if (d_start != nullptr) d_start[d] += carried;
      carried = 0;
    }
    if (T* d_state = t.acc(state)) d_state[b * width + d] += carried;
  }
  /// Gradients of one token; returns the one of h before it.
  T BackwardToken(Tape<T>& t, int64_t b, int64_t at, int64_t d, T d_h) const {
    const int64_t i = (b * steps + at) * width + d;
    const Decay<T> decay = DecayAt(t, b, at, d);
    const T d_exponent = -d_h * Before(t, b, at, d) * decay.a;
    T d_x = d_h;
    if (T* d_rate = t.acc(rate)) {
      d_rate[d] += d_exponent * decay.open * (dt ? t.value(dt)[b * steps + at] : T{1});
    }
    if (gate) {
      const T d_gate_input = d_exponent * decay.exponent * (1 - decay.open);
      if (T* d_gate = t.acc(gate)) d_gate[d] += d_gate_input * t.value(x)[i];
      d_x += d_gate_input * t.value(gate)[d];
    }
    if (T* grad = t.acc(x)) grad[i] += d_x;
    return d_h * decay.a;
  }
};

}  // namespace

template <Scalar T>
LeakyMixer<T>::LeakyMixer(const LeakyOptions& options, const MixerContext& context,
                          ParameterBuilder& builder)
    : d_model_(context.d_model), slots_{{.name = "h", .entry = Shape{context.d_model}}} {
  const Shape shape{d_model_};
  log_rate_ = builder.Add(
      "log_rate", shape,
      [](std::span<double> values, Random& random) {
        for (double& value : values) value = random.Uniform(std::log(0.01), std::log(0.5));
      },
      "ssm", false);
  start_ = builder.Add("start", shape, [](std::span<double>, Random&) {});
  if (!options.gated) return;
  gate_ = builder.Add("gate", shape, [](std::span<double> values, Random& random) {
    for (double& value : values) value = random.Normal();
  });
}

template <Scalar T>
void LeakyMixer<T>::Prepare(Tape<T>& tape, int64_t, T dt_scale, Prepared<T> prepared) const {
  prepared[0] = Rates(tape, tape.Use(log_rate_), dt_scale);
}

template <Scalar T>
Outputs<T> LeakyMixer<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                                  Prepared<T> prepared, Want want) const {
  Scan<T> scan;
  scan.x = in.x;
  scan.rate = prepared[0];
  scan.gate = gate_.shape.rank() > 0 ? tape.Use(gate_) : Var<T>{};
  scan.start = tape.Use(start_);
  scan.state = state[0];
  scan.dt = in.dt;
  scan.pos = in.clock->pos;
  scan.rows = in.clock->B;
  scan.steps = in.clock->T;
  scan.width = d_model_;
  scan.y = tape.New(tape.shape(in.x));
  std::span<Var<T>> next;
  if (want == Want::kOutputAndState) {
    next = tape.NewVars(1);
    next[0] = scan.next = tape.New(tape.shape(state[0]));
  }
  if (tape.Live()) scan.Forward(tape);
  const double flops = 3.0 * static_cast<double>(tape.shape(in.x).size());
  const Var<T> ins[] = {scan.x, scan.rate, scan.gate, scan.start, scan.state};
  const Var<T> outs[] = {scan.y, scan.next};
  tape.Record("leaky_scan", std::span<const Var<T>>(ins),
              std::span<const Var<T>>(outs, want == Want::kOutputAndState ? 2 : 1), flops,
              [scan](Tape<T>& t) { scan.Backward(t); });
  return {scan.y, next};
}

template <Scalar T>
class LeakyMixer<T>::LeakyStepper final : public Stepper<T> {
 public:
  LeakyStepper(const LeakyMixer& mixer, int64_t batch, ParamView<T> params, T dt_scale)
      : batch_(batch), width_(mixer.d_model_), params_(params), version_(*params.version) {
    Tape<T> tape(Mode::kInfer, params);
    Var<T> prepared[1];
    mixer.Prepare(tape, 1, dt_scale, prepared);
    rate_.assign(tape.value(prepared[0]), tape.value(prepared[0]) + width_);
    start_.assign(params.values + mixer.start_.offset,
                  params.values + mixer.start_.offset + width_);
    if (mixer.gate_.shape.rank() == 0) return;
    gate_.assign(params.values + mixer.gate_.offset, params.values + mixer.gate_.offset + width_);
  }
  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(*params_.version == version_, "a stepper outlived the parameters it was made from");
    for (int64_t i = 0; i < batch_ * width_; ++i) {
      const int64_t b = i / width_;
      const size_t d = static_cast<size_t>(i % width_);
      const T dt = in.dt != nullptr ? in.dt[b] : T{1};
      const T* gate = gate_.empty() ? nullptr : gate_.data() + d;
      T& h = state[0].data[i];
      const T before = in.pos[b] == 0 ? start_[d] : h;
      y[i] = h = Decay<T>(rate_[d], dt, gate, in.x[i]).a * before + in.x[i];
    }
  }

 private:
  int64_t batch_, width_;
  ParamView<T> params_;
  uint64_t version_;
  std::vector<T> rate_, start_, gate_;
};

template <Scalar T>
std::unique_ptr<Stepper<T>> LeakyMixer<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                       T dt_scale) const {
  return std::make_unique<LeakyStepper>(*this, batch, params, dt_scale);
}

void LeakyOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Bool("gated", gated, "whether the input opens and closes the leak");
}

MixerKind LeakyOptions::Kind() const {
  return gated ? MixerKind::kSelective : MixerKind::kTimeInvariant;
}

MixerProperties LeakyOptions::Properties(const MixerContext&) const {
  MixerProperties properties;
  properties.initial = {{"log_rate", std::log(0.01), std::log(0.5)}, {"start", 0, 0}};
  return properties;
}

template class LeakyMixer<float>;
template class LeakyMixer<double>;

}  // namespace ssm::test
