#include "ssm/mixers/s4d_stepper.h"

#include <cmath>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/kernels/s4d_step.h"

namespace ssm {
namespace {

template <Scalar T>
class S4dStepper final : public Stepper<T> {
 public:
  S4dStepper(const Tape<T>& tape, int64_t batch, const S4dSnapshot<T>& snapshot)
      : batch_(batch),
        rule_(snapshot.continuous.rule),
        channels_(tape.shape(snapshot.system.a_minus_1)[0]),
        modes_(tape.shape(snapshot.system.a_minus_1)[1]),
        complex_(tape.shape(snapshot.system.a_minus_1).rank() == 3),
        version_(tape.params().version),
        seen_(version_ == nullptr ? 0 : *version_),
        a_(Split(tape, snapshot.system.a_minus_1)),
        b_(Split(tape, snapshot.system.b_bar)),
        c_(Split(tape, snapshot.c)),
        own_a_{std::vector<T>(size(modes_)), std::vector<T>(size(modes_))},
        own_b_{std::vector<T>(size(modes_)), std::vector<T>(size(modes_))},
        skip_(tape.value(snapshot.skip), tape.value(snapshot.skip) + channels_) {
    if (complex_) {
      for (std::vector<T>* part : {&c_.re, &c_.im}) {
        for (T& value : *part) value *= 2;
      }
    }
    CopyContinuous(tape, snapshot.continuous);
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(version_ == nullptr || *version_ == seen_,
              "the parameters changed after this S4D stepper was made: make a new one");
    const int64_t entry = channels_ * modes_ * (complex_ ? 2 : 1);
    for (int64_t row = 0; row < batch_; ++row) {
      T* h = state[0].data.data() + row * entry;
      if (in.pos != nullptr && in.pos[row] == 0) std::fill_n(h, entry, T{0});
      const T* dt = in.dt == nullptr ? nullptr : in.dt + row;
      StepRow(in.x + row * channels_, dt, h, y + row * channels_);
    }
  }

 private:
  /// Real and imaginary parts apart, [channels, modes] each; no imaginary part for real modes.
  struct Parts {
    std::vector<T> re, im;
    const T* Re(int64_t i) const { return re.data() + i; }
    const T* Im(int64_t i) const { return im.empty() ? nullptr : im.data() + i; }
  };

  static size_t size(int64_t n) { return static_cast<size_t>(n); }

  static Parts Split(const Tape<T>& tape, Var<T> var) {
    const Shape shape = tape.shape(var);
    const T* value = tape.value(var);
    if (shape.rank() == 2) return {std::vector<T>(value, value + shape.size()), {}};
    Parts parts;
    for (int64_t i = 0; i < shape.size(); i += 2) {
      parts.re.push_back(value[i]);
      parts.im.push_back(value[i + 1]);
    }
    return parts;
  }

  void CopyContinuous(const Tape<T>& tape, const DiagonalParameters<T>& p) {
    for (int64_t d = 0; d < channels_; ++d) {
      dt_.push_back(p.dt_scale * std::exp(static_cast<double>(tape.value(p.log_dt)[d])));
    }
    for (int64_t i = 0; i < channels_ * modes_; ++i) {
      pole_re_.push_back(-std::exp(static_cast<double>(tape.value(p.log_a_real)[i])));
      pole_im_.push_back(complex_ ? static_cast<double>(tape.value(p.a_imag)[i]) : 0);
    }
  }

  void StepRow(const T* x, const T* dt, T* h, T* y) {
    const int64_t numbers = modes_ * (complex_ ? 2 : 1);
    for (int64_t d = 0; d < channels_; ++d, h += numbers) {
      const int64_t i = d * modes_;
      kernels::StepChannel<T> channel{a_.Re(i), a_.Im(i), b_.Re(i), b_.Im(i), c_.Re(i), c_.Im(i)};
      if (dt != nullptr) UseOwnStep(d, static_cast<double>(*dt), &channel);
      y[d] = skip_[size(d)] * x[d] + kernels::StepDiagonal(channel, modes_, x[d], h);
    }
  }

  /// Coefficients of channel d for a token `dt` trained steps after the one before.
  void UseOwnStep(int64_t d, double dt, kernels::StepChannel<T>* channel) {
    for (int64_t n = 0; n < modes_; ++n) {
      const size_t i = size(d * modes_ + n);
      const kernels::DiscreteMode mode =
          kernels::DiscretizeMode(rule_, dt * dt_[size(d)], pole_re_[i], pole_im_[i]);
      own_a_.re[size(n)] = static_cast<T>(mode.a_re);
      own_a_.im[size(n)] = static_cast<T>(mode.a_im);
      own_b_.re[size(n)] = static_cast<T>(mode.b_re);
      own_b_.im[size(n)] = static_cast<T>(mode.b_im);
    }
    channel->a_re = own_a_.Re(0);
    channel->b_re = own_b_.Re(0);
    if (!complex_) return;
    channel->a_im = own_a_.Im(0);
    channel->b_im = own_b_.Im(0);
  }

  int64_t batch_;
  DiscretizationRule rule_;
  int64_t channels_, modes_;
  bool complex_;
  const uint64_t* version_;
  uint64_t seen_;
  Parts a_, b_, c_;
  Parts own_a_, own_b_;  // of the channel at hand, when a token has its own dt
  std::vector<T> skip_;
  std::vector<double> dt_, pole_re_, pole_im_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeS4dStepper(const Tape<T>& tape, int64_t batch,
                                           const S4dSnapshot<T>& snapshot) {
  return std::make_unique<S4dStepper<T>>(tape, batch, snapshot);
}

template std::unique_ptr<Stepper<float>> MakeS4dStepper(const Tape<float>&, int64_t,
                                                        const S4dSnapshot<float>&);
template std::unique_ptr<Stepper<double>> MakeS4dStepper(const Tape<double>&, int64_t,
                                                         const S4dSnapshot<double>&);

}  // namespace ssm
