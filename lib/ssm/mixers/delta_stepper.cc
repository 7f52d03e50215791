#include "ssm/mixers/delta_stepper.h"

#include "ssm/base/errors.h"
#include "ssm/kernels/causal_conv.h"
#include "ssm/kernels/delta_rule.h"
#include "ssm/kernels/gemm.h"
#include "ssm/kernels/log_decay.h"
#include "ssm/kernels/pointwise.h"
#include "ssm/kernels/unit_norm.h"

namespace ssm {
namespace {

using kernels::Activation;

template <Scalar T>
class DeltaStepper final : public Stepper<T> {
 public:
  DeltaStepper(const DeltaParameters& p, int64_t batch, ParamView<T> params, T dt_scale)
      : p_(p),
        params_(params),
        seen_(params.version == nullptr ? 0 : *params.version),
        batch_(batch),
        shape_{batch, 1, p.form.heads, p.form.d_key, p.form.d_value, 1, p.form.scale, nullptr},
        decays_{batch, p.form.heads, static_cast<double>(dt_scale)},
        taps_(p.conv.shape.rank() == 0 ? 1 : p.conv.shape[1]),
        packed_(Shape{taps_ > 1 ? p.conv.shape.size() : 0}),
        projected_(Shape{batch, shape_.width()}),
        qkv_(Shape{batch, shape_.width()}),
        beta_(Shape{batch, p.form.heads}),
        decay_(Shape{batch, p.form.heads}),
        out_(Shape{batch, shape_.values()}),
        gate_(Shape{batch, shape_.values()}),
        scratch_(Shape{p.form.heads + p.form.d_value}) {
    if (taps_ > 1) kernels::PackTaps(shape_.width(), taps_, Values(p.conv), packed_.data());
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(params_.version == nullptr || *params_.version == seen_,
              "the parameters changed after this delta-rule stepper was made: make a new one");
    Keys(in, state);
    p_.beta.ApplyRows(params_, batch_, in.x, beta_.data());
    kernels::Apply(Activation::kSigmoid, beta_.size(), beta_.data(), beta_.data());
    for (T& beta : beta_.flat()) beta *= static_cast<T>(p_.beta_range);
    if (p_.gated) Decays(in);
    for (int64_t row = 0; row < batch_; ++row) {
      const int64_t gate = row * shape_.heads;
      kernels::DeltaRuleStep<T>(shape_, in.pos[row], qkv_.data() + row * shape_.width(),
                                beta_.data() + gate, p_.gated ? decay_.data() + gate : nullptr,
                                state[0].data.data() + gate * shape_.state(),
                                out_.data() + row * shape_.values(), scratch_.data());
    }
    p_.norm.ApplyRows(params_, batch_, out_.data(), out_.data());
    if (p_.gated) {
      p_.gate.ApplyRows(params_, batch_, in.x, gate_.data());
      kernels::ApplyProduct(Activation::kSilu, out_.size(), gate_.data(), out_.data(), out_.data());
    }
    p_.output.ApplyRows(params_, batch_, out_.data(), y);
  }

 private:
  const T* Values(const Param& param) const { return params_.values + param.offset; }

  void Keys(const StepInputs<T>& in, std::span<Slot<T>> state) {
    const int64_t width = shape_.width();
    T* projected = taps_ > 1 ? projected_.data() : qkv_.data();
    p_.qkv.ApplyRows(params_, batch_, in.x, projected);
    for (int64_t row = 0; row < batch_ && taps_ > 1; ++row) {
      kernels::CausalConvStep<T>(width, taps_, in.pos[row], projected + row * width, packed_.data(),
                                 nullptr, state[1].data.data() + row * (taps_ - 1) * width,
                                 qkv_.data() + row * width);
    }
    kernels::Apply(Activation::kSilu, qkv_.size(), qkv_.data(), qkv_.data());
    const kernels::UnitNormShape unit{batch_, width, 2 * shape_.heads, shape_.d_key, kUnitNormEps};
    kernels::UnitNorm<T>(unit, qkv_.data(), qkv_.data(), nullptr);
  }

  void Decays(const StepInputs<T>& in) {
    kernels::SpreadRows(batch_, shape_.heads, Values(p_.dt_bias), decay_.data());
    kernels::GemmTransposedB(batch_, shape_.heads, p_.decay.shape[1], in.x, Values(p_.decay),
                             decay_.data(), kernels::Write::kAdd);
    kernels::LogDecay(decays_, decay_.data(), Values(p_.a_log), in.dt, decay_.data(),
                      scratch_.data());
  }

  DeltaParameters p_;
  ParamView<T> params_;
  uint64_t seen_;
  int64_t batch_;
  kernels::DeltaRuleShape shape_;
  kernels::LogDecayShape decays_;
  int64_t taps_;
  Array<T> packed_, projected_, qkv_, beta_, decay_, out_, gate_, scratch_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeDeltaStepper(const DeltaParameters& parameters, int64_t batch,
                                             ParamView<T> params, T dt_scale) {
  return std::make_unique<DeltaStepper<T>>(parameters, batch, params, dt_scale);
}

template std::unique_ptr<Stepper<float>> MakeDeltaStepper(const DeltaParameters&, int64_t,
                                                          ParamView<float>, float);
template std::unique_ptr<Stepper<double>> MakeDeltaStepper(const DeltaParameters&, int64_t,
                                                           ParamView<double>, double);

}  // namespace ssm
