#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/kernels/pointwise.h"
#include "ssm/kernels/rotary.h"
#include "ssm/mixers/gated_matrix_mixer.h"

namespace ssm {
namespace {

using kernels::Activation;

template <Scalar T>
class GatedMatrixStepper final : public Stepper<T> {
 public:
  GatedMatrixStepper(const GatedMatrixForm& form, const GatedMatrixLayers& layers,
                     const Array<T>& fixed, int64_t batch, ParamView<T> params)
      : form_(form),
        layers_(layers),
        shape_(form.StepShape()),
        params_(params),
        seen_(params.version == nullptr ? 0 : *params.version),
        batch_(batch),
        qkv_(Shape{batch, layers.qkv.out()}),
        gate_(Shape{batch, form.values()}),
        mixed_(Shape{batch, form.values()}),
        low_(Shape{batch, form.rank}),
        decays_(Shape{batch, shape_.decays()}),
        turns_(Shape{form.rotary_base > 0 ? form.d_key : 0}) {
    for (int64_t row = 0; row < batch && fixed.size() > 0; ++row) {
      kernels::Apply(Activation::kExp, form.heads, fixed.data(), decays_.data() + row * form.heads);
    }
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(params_.version == nullptr || *params_.version == seen_,
              "the parameters changed after this stepper was made: make a new one");
    layers_.qkv.ApplyRows(params_, batch_, in.x, qkv_.data());
    layers_.gate.ApplyRows(params_, batch_, in.x, gate_.data());
    if (form_.rank > 0) MakeDecays(in.x);
    for (int64_t row = 0; row < batch_; ++row) StepRow(row, in.pos[row], state[0]);
    layers_.norm.ApplyRows(params_, batch_, mixed_.data(), mixed_.data());
    kernels::ApplyProduct(Activation::kSilu, mixed_.size(), gate_.data(), mixed_.data(),
                          mixed_.data());
    layers_.output.ApplyRows(params_, batch_, mixed_.data(), y);
  }

 private:
  void MakeDecays(const T* x) {
    const int64_t n = decays_.size();
    T* decays = decays_.data();
    layers_.decay_down.ApplyRows(params_, batch_, x, low_.data());
    layers_.decay_up.ApplyRows(params_, batch_, low_.data(), decays);
    for (int64_t i = 0; i < n; ++i) decays[i] = -decays[i];
    kernels::Apply(Activation::kSoftplus, n, decays, decays);
    const T factor = static_cast<T>(-1 / form_.temperature);
    for (int64_t i = 0; i < n; ++i) decays[i] *= factor;
    kernels::Apply(Activation::kExp, n, decays, decays);
  }

  void StepRow(int64_t row, int64_t position, Slot<T>& state) {
    T* q = qkv_.data() + row * layers_.qkv.out();
    if (form_.rotary_base > 0) {
      kernels::RotaryTable(1, form_.d_key, &position, form_.rotary_base, turns_.data());
      kernels::Rotate({1, layers_.qkv.out(), 2 * form_.heads, form_.d_key}, turns_.data(), q, q);
    }
    kernels::MatrixStateStep(shape_, q, q + form_.keys(), q + 2 * form_.keys(),
                             decays_.data() + row * shape_.decays(), position == 0,
                             state.data.data() + row * shape_.state_size(),
                             mixed_.data() + row * form_.values());
  }

  GatedMatrixForm form_;
  GatedMatrixLayers layers_;
  kernels::MatrixStateShape shape_;
  ParamView<T> params_;
  uint64_t seen_;
  int64_t batch_;
  Array<T> qkv_, gate_, mixed_, low_, decays_, turns_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeGatedMatrixStepper(const GatedMatrixForm& form,
                                                   const GatedMatrixLayers& layers,
                                                   const Array<T>& fixed, int64_t batch,
                                                   ParamView<T> params) {
  return std::make_unique<GatedMatrixStepper<T>>(form, layers, fixed, batch, params);
}

#define SSM_INSTANTIATE(T)                                     \
  template std::unique_ptr<Stepper<T>> MakeGatedMatrixStepper( \
      const GatedMatrixForm&, const GatedMatrixLayers&, const Array<T>&, int64_t, ParamView<T>);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
