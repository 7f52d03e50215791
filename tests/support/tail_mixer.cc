#include "support/tail_mixer.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"

namespace ssm::test {
namespace {

/// The convolution's handles and sizes.
template <Scalar T>
struct Convolution {
  Var<T> x, weight, ring, y, next;
  Ints pos, after, last;
  int64_t rows, steps, width, taps;

  /// Where the input of position p lies: a token of x, or an entry of the ring. `t` is the token at
  /// position p if it were in this piece.
  const T* Source(const Tape<T>& t, int64_t b, int64_t token, int64_t p) const {
    if (token >= 0) return t.value(x) + (b * steps + token) * width;
    return t.value(ring) + RingOffset(b, p);
  }
  T* SourceGradient(Tape<T>& t, int64_t b, int64_t token, int64_t p) const {
    T* grad = token >= 0 ? t.acc(x) : t.acc(ring);
    if (grad == nullptr) return nullptr;
    return grad + (token >= 0 ? (b * steps + token) * width : RingOffset(b, p));
  }
  int64_t RingOffset(int64_t b, int64_t p) const {
    return (b * (taps - 1) + p % (taps - 1)) * width;
  }
  /// Calls f(b, t, k, position) for every tap that sees a token.
  template <class F>
  void ForTaps(F f) const {
    for (int64_t i = 0; i < rows * steps; ++i) {
      const int64_t p = pos[static_cast<size_t>(i)];
      for (int64_t k = 0; k < taps && k <= p; ++k) f(i / steps, i % steps, k, p - k);
    }
  }
  /// Calls f(b, token, position) for every live entry of the next ring.
  template <class F>
  void ForNext(F f) const {
    for (int64_t b = 0; b < rows; ++b) {
      const int64_t n = after[static_cast<size_t>(b)];
      for (int64_t p = std::max<int64_t>(n - taps + 1, 0); p < n; ++p) {
        f(b, last[static_cast<size_t>(b)] - (n - 1 - p), p);
      }
    }
  }
  void Forward(Tape<T>& t) const {
    std::fill_n(t.out(y), rows * steps * width, T{0});
    ForTaps([&](int64_t b, int64_t at, int64_t k, int64_t p) {
      const T* source = Source(t, b, at - k, p);
      T* y_t = t.out(y) + (b * steps + at) * width;
      for (int64_t d = 0; d < width; ++d) y_t[d] += t.value(weight)[k * width + d] * source[d];
    });
    if (!next) return;
    std::fill_n(t.out(next), t.shape(next).size(), T{0});
    ForNext([&](int64_t b, int64_t token, int64_t p) {
      std::copy_n(Source(t, b, token, p), width, t.out(next) + RingOffset(b, p));
    });
  }
  void Backward(Tape<T>& t) const {
    if (const T* d_y = t.grad(y)) {
      ForTaps([&](int64_t b, int64_t at, int64_t k, int64_t p) {
        const T* d_y_t = d_y + (b * steps + at) * width;
        T* d_source = SourceGradient(t, b, at - k, p);
        T* d_weight = t.acc(weight);
        for (int64_t d = 0; d < width; ++d) {
          if (d_source != nullptr) d_source[d] += d_y_t[d] * t.value(weight)[k * width + d];
          if (d_weight != nullptr) {
            d_weight[k * width + d] += d_y_t[d] * Source(t, b, at - k, p)[d];
          }
        }
      });
    }
    const T* d_next = next ? t.grad(next) : nullptr;
    if (d_next == nullptr) return;
    ForNext([&](int64_t b, int64_t token, int64_t p) {
      T* d_source = SourceGradient(t, b, token, p);
      for (int64_t d = 0; d_source != nullptr && d < width; ++d) {
        d_source[d] += d_next[RingOffset(b, p) + d];
      }
    });
  }
};

}  // namespace

template <Scalar T>
TailMixer<T>::TailMixer(const TailOptions& options, const MixerContext& context,
                        ParameterBuilder& builder)
    : d_model_(context.d_model),
      taps_(options.taps),
      slots_{{.name = "tail",
              .kind = SlotKind::kRing,
              .entry = Shape{context.d_model},
              .entries = options.taps - 1}} {
  weight_ =
      builder.Add("weight", Shape{taps_, d_model_}, [](std::span<double> values, Random& random) {
        for (double& value : values) value = random.Normal();
      });
}

template <Scalar T>
Outputs<T> TailMixer<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                                 Prepared<T>, Want want) const {
  Convolution<T> conv;
  conv.x = in.x;
  conv.weight = tape.Use(weight_);
  conv.ring = state[0];
  conv.pos = in.clock->pos;
  conv.after = in.clock->after;
  conv.last = in.clock->last;
  conv.rows = in.clock->B;
  conv.steps = in.clock->T;
  conv.width = d_model_;
  conv.taps = taps_;
  conv.y = tape.New(tape.shape(in.x));
  std::span<Var<T>> next;
  if (want == Want::kOutputAndState) {
    next = tape.NewVars(1);
    next[0] = conv.next = tape.New(tape.shape(state[0]));
  }
  if (tape.Live()) conv.Forward(tape);
  const Var<T> ins[] = {conv.x, conv.weight, conv.ring};
  const Var<T> outs[] = {conv.y, conv.next};
  tape.Record("tail_conv", std::span<const Var<T>>(ins),
              std::span<const Var<T>>(outs, want == Want::kOutputAndState ? 2 : 1),
              2.0 * static_cast<double>(taps_ * tape.shape(in.x).size()),
              [conv](Tape<T>& t) { conv.Backward(t); });
  return {conv.y, next};
}

template <Scalar T>
class TailMixer<T>::TailStepper final : public Stepper<T> {
 public:
  TailStepper(const TailMixer& mixer, int64_t batch, ParamView<T> params)
      : batch_(batch),
        width_(mixer.d_model_),
        taps_(mixer.taps_),
        version_(*params.version),
        current_(params.version),
        weight_(params.values + mixer.weight_.offset,
                params.values + mixer.weight_.offset + taps_ * width_) {}
  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(*current_ == version_, "a stepper outlived the parameters it was made from");
    for (int64_t b = 0; b < batch_; ++b) {
      T* ring = state[0].data.data() + b * (taps_ - 1) * width_;
      if (in.pos[b] == 0) std::fill_n(ring, (taps_ - 1) * width_, T{0});
      StepRow(in.x + b * width_, in.pos[b], ring, y + b * width_);
    }
  }

 private:
  void StepRow(const T* x, int64_t pos, T* ring, T* y) const {
    const auto entry = [&](int64_t p) { return ring + p % (taps_ - 1) * width_; };
    for (int64_t d = 0; d < width_; ++d) {
      y[d] = weight_[static_cast<size_t>(d)] * x[d];
      for (int64_t k = 1; k < taps_ && k <= pos; ++k) {
        y[d] += weight_[static_cast<size_t>(k * width_ + d)] * entry(pos - k)[d];
      }
    }
    if (taps_ > 1) std::copy_n(x, width_, entry(pos));
  }

  int64_t batch_, width_, taps_;
  uint64_t version_;
  const uint64_t* current_;
  std::vector<T> weight_;
};

template <Scalar T>
std::unique_ptr<Stepper<T>> TailMixer<T>::MakeStepper(int64_t batch, ParamView<T> params, T) const {
  return std::make_unique<TailStepper>(*this, batch, params);
}

void TailOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("taps", taps, {1, 64}, "tokens a convolution sees, its own included");
}

template class TailMixer<float>;
template class TailMixer<double>;

}  // namespace ssm::test
