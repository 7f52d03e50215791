#include "ssm/mixers/mode_mixer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "ssm/autograd/ops/diagonal_scan.h"
#include "ssm/autograd/ops/linear.h"
#include "ssm/autograd/ops/skip.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/diagonal_scan.h"
#include "ssm/mixers/packed_weight.h"

namespace ssm {
namespace {

/// The coefficients of one token with a step of its own.
template <Scalar T>
class OwnSteps {
 public:
  OwnSteps(const Tape<T>& tape, const ContinuousModes<T>& continuous)
      : rule_(continuous.parameters.rule),
        weight_(tape, continuous.w_in),
        a_minus_1_(tape.shape(continuous.parameters.log_dt).Append(2)) {
    const DiagonalParameters<T>& p = continuous.parameters;
    for (int64_t m = 0; m < tape.shape(p.log_dt)[0]; ++m) {
      modes_.push_back({p.dt_scale * std::exp(static_cast<double>(tape.value(p.log_dt)[m])),
                        -std::exp(static_cast<double>(tape.value(p.log_a_real)[m])),
                        static_cast<double>(tape.value(p.a_imag)[m])});
    }
  }

  const PackedWeight<T>& weight() const { return weight_; }
  /// A_bar - 1 for a step of `dt`; multiplies `driven`, which holds B x, by B_bar / B.
  const T* Discretize(double dt, T* driven) {
    for (size_t m = 0; m < modes_.size(); ++m) {
      const Mode& mode = modes_[m];
      const kernels::DiscreteMode step =
          kernels::DiscretizeMode(rule_, dt * mode.dt, mode.re, mode.im);
      T* a = a_minus_1_.data() + 2 * m;
      T* u = driven + 2 * m;
      const double u_re = static_cast<double>(u[0]), u_im = static_cast<double>(u[1]);
      a[0] = static_cast<T>(step.a_re);
      a[1] = static_cast<T>(step.a_im);
      u[0] = static_cast<T>(step.b_re * u_re - step.b_im * u_im);
      u[1] = static_cast<T>(step.b_re * u_im + step.b_im * u_re);
    }
    return a_minus_1_.data();
  }

 private:
  struct Mode {
    double dt, re, im;
  };
  DiscretizationRule rule_;
  PackedWeight<T> weight_;
  Array<T> a_minus_1_;
  std::vector<Mode> modes_;
};

template <Scalar T>
class ModeStepper final : public Stepper<T> {
 public:
  ModeStepper(const Tape<T>& tape, int64_t batch, const ModeSystem<T>& system,
              const ContinuousModes<T>* continuous)
      : version_(tape.params().version),
        seen_(version_ == nullptr ? 0 : *version_),
        batch_(batch),
        modes_(tape.shape(system.a_minus_1)[0]),
        channels_(tape.shape(system.d)[0]),
        a_(CopyOf(tape, system.a_minus_1)),
        d_(CopyOf(tape, system.d)),
        w_in_(tape, system.w_in),
        w_out_(tape, system.w_out),
        driven_(Shape{batch, w_in_.stride()}),
        read_(Shape{batch, w_out_.stride()}) {
    if (continuous != nullptr) own_.emplace(tape, *continuous);
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(version_ == nullptr || *version_ == seen_,
              "the parameters changed after this stepper was made: make a new one");
    const bool own = in.dt != nullptr && own_.has_value();
    (own ? own_->weight() : w_in_).Multiply(batch_, in.x, driven_.data());
    T* h = state[0].data.data();
    for (int64_t row = 0; row < batch_; ++row) {
      T* driven = driven_.data() + row * w_in_.stride();
      const T* a = own ? own_->Discretize(static_cast<double>(in.dt[row]), driven) : a_.data();
      const int64_t pos = in.pos == nullptr ? 1 : in.pos[row];
      T* h_row = h + row * 2 * modes_;
      const kernels::DiagonalScanShape step{1, 1, modes_, true, true, true, &pos};
      kernels::DiagonalScan(step, a, driven, h_row, h_row);
    }
    w_out_.Multiply(batch_, h, read_.data());
    for (int64_t row = 0; row < batch_; ++row) {
      const T* from = read_.data() + row * w_out_.stride();
      for (int64_t i = 0; i < channels_; ++i) {
        y[row * channels_ + i] = from[i] + d_[i] * in.x[row * channels_ + i];
      }
    }
  }

 private:
  const uint64_t* version_;
  uint64_t seen_;
  int64_t batch_, modes_, channels_;
  Array<T> a_, d_;
  PackedWeight<T> w_in_, w_out_;
  Array<T> driven_, read_;
  std::optional<OwnSteps<T>> own_;
};

}  // namespace

template <Scalar T>
Outputs<T> RunModes(Tape<T>& tape, const Inputs<T>& in, const ModeSystem<T>& system, Var<T> driven,
                    Var<T> h0, Want want) {
  const Clock& clock = *in.clock;
  const DiagonalScanOutputs<T> scan =
      DiagonalScan(tape, ScanField::kComplex, system.a_minus_1, driven, clock.fresh ? Var<T>{} : h0,
                   clock, ScanCoefficient::kMinusOne);
  const Var<T> read = Linear(tape, scan.h, system.w_out);
  Outputs<T> outputs{Skip(tape, read, in.x, system.d), {}};
  if (want == Want::kOutputAndState) {
    outputs.next = tape.NewVars(1);
    outputs.next[0] = scan.last;
  }
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeModeStepper(const Tape<T>& tape, int64_t batch,
                                            const ModeSystem<T>& system,
                                            const ContinuousModes<T>* continuous) {
  return std::make_unique<ModeStepper<T>>(tape, batch, system, continuous);
}

template <Scalar T>
double RowNorm(const Tape<T>& tape, Var<T> b, size_t p) {
  const size_t width = static_cast<size_t>(tape.shape(b)[1] * 2);
  double sum = 0;
  for (const T value : std::span(tape.value(b) + p * width, width)) {
    sum += static_cast<double>(value) * static_cast<double>(value);
  }
  return std::sqrt(sum);
}

#define SSM_INSTANTIATE(T)                                                                       \
  template Outputs<T> RunModes(Tape<T>&, const Inputs<T>&, const ModeSystem<T>&, Var<T>, Var<T>, \
                               Want);                                                            \
  template double RowNorm(const Tape<T>&, Var<T>, size_t);                                       \
  template std::unique_ptr<Stepper<T>> MakeModeStepper(                                          \
      const Tape<T>&, int64_t, const ModeSystem<T>&, const ContinuousModes<T>*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
