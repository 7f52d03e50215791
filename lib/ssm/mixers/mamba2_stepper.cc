#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/kernels/causal_conv.h"
#include "ssm/kernels/pointwise.h"
#include "ssm/kernels/ssd.h"
#include "ssm/mixers/mamba2.h"

namespace ssm {
namespace {

using kernels::Activation;

template <Scalar T>
class Mamba2Stepper final : public Stepper<T> {
 public:
  Mamba2Stepper(const Mamba2Form& form, int64_t batch, ParamView<T> params, T dt_scale)
      : form_(form),
        shape_(form.StepShape()),
        params_(params),
        seen_(params.version == nullptr ? 0 : *params.version),
        batch_(batch),
        dt_scale_(dt_scale),
        taps_(Shape{form.taps * form.mixed()}),
        a_(Shape{form.heads}),
        projected_(Shape{batch, form.in.out()}),
        gate_(Shape{batch, form.inner()}),
        y_(Shape{batch, form.inner()}),
        xbc_(Shape{form.mixed()}),
        decay_(Shape{form.heads}),
        values_(Shape{form.inner()}) {
    kernels::PackTaps(form.mixed(), form.taps, Values(form.conv_weight), taps_.data());
    for (int64_t h = 0; h < form.heads; ++h) a_[h] = std::exp(Values(form.log_a)[h]);
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(params_.version == nullptr || *params_.version == seen_,
              "the parameters changed after this mamba2 stepper was made: make a new one");
    form_.in.ApplyRows(params_, batch_, in.x, projected_.data());
    form_.gate.ApplyRows(params_, batch_, in.x, gate_.data());
    for (int64_t row = 0; row < batch_; ++row) {
      StepRow(row, in.pos[row], in.dt == nullptr ? dt_scale_ : dt_scale_ * in.dt[row], state);
    }
    kernels::ApplyProduct(Activation::kSilu, y_.size(), gate_.data(), y_.data(), y_.data());
    form_.norm.ApplyRows(params_, batch_, y_.data(), y_.data());
    form_.out.ApplyRows(params_, batch_, y_.data(), y);
  }

 private:
  const T* Values(const Param& param) const { return params_.values + param.offset; }

  void StepRow(int64_t row, int64_t position, T time, std::span<Slot<T>> state) {
    const int64_t mixed = form_.mixed(), inner = form_.inner();
    const T* projected = projected_.data() + row * form_.in.out();
    T *x = xbc_.data(), *y = y_.data() + row * inner;
    kernels::CausalConvStep(mixed, form_.taps, position, projected, taps_.data(),
                            Values(form_.conv_bias),
                            state[0].data.data() + row * (form_.taps - 1) * mixed, x);
    kernels::Apply(Activation::kSilu, mixed, x, x);
    const kernels::SsdSteps<T> steps{form_.heads,
                                     form_.channels,
                                     a_.data(),
                                     Values(form_.dt_bias),
                                     static_cast<T>(form_.low),
                                     static_cast<T>(form_.high)};
    kernels::SsdInput(steps, time, projected + mixed, x, decay_.data(), values_.data());
    kernels::Apply(Activation::kExp, form_.heads, decay_.data(), decay_.data());
    kernels::MatrixStateStep(shape_, x + inner + form_.groups * form_.d_state, x + inner,
                             values_.data(), decay_.data(), position == 0,
                             state[1].data.data() + row * shape_.state_size(), y);
    kernels::AddHeadSkip(form_.heads, form_.channels, Values(form_.d), x, y);
  }

  Mamba2Form form_;
  kernels::MatrixStateShape shape_;
  ParamView<T> params_;
  uint64_t seen_;
  int64_t batch_;
  T dt_scale_;
  Array<T> taps_, a_, projected_, gate_, y_, xbc_, decay_, values_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeMamba2Stepper(const Mamba2Form& form, int64_t batch,
                                              ParamView<T> params, T dt_scale) {
  return std::make_unique<Mamba2Stepper<T>>(form, batch, params, dt_scale);
}

template std::unique_ptr<Stepper<float>> MakeMamba2Stepper(const Mamba2Form&, int64_t,
                                                           ParamView<float>, float);
template std::unique_ptr<Stepper<double>> MakeMamba2Stepper(const Mamba2Form&, int64_t,
                                                            ParamView<double>, double);

}  // namespace ssm
