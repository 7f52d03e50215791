#include "ssm/mixers/linear_attention_stepper.h"

#include "ssm/base/errors.h"
#include "ssm/kernels/pointwise.h"

namespace ssm {
namespace {

template <Scalar T>
class LinearAttentionStepper final : public Stepper<T> {
 public:
  LinearAttentionStepper(const LinearAttentionForm& form, int64_t batch, ParamView<T> params)
      : form_(form),
        shape_(form.StepShape()),
        params_(params),
        seen_(params.version == nullptr ? 0 : *params.version),
        batch_(batch),
        qkv_(Shape{batch, form.qkv.out()}),
        features_(Shape{2 * form.heads * form.d_features}),
        losses_(Shape{form.heads * form.d_key}),
        anchors_(Shape{form.heads}),
        read_(Shape{form.heads * shape_.columns()}),
        mixed_(Shape{batch, form.heads * form.d_value}) {}

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(
        params_.version == nullptr || *params_.version == seen_,
        "the parameters changed after this linear attention stepper was made: make a new one");
    form_.qkv.ApplyRows(params_, batch_, in.x, qkv_.data());
    for (int64_t row = 0; row < batch_; ++row) StepRow(row, in.pos[row] == 0, state);
    if (!form_.normalised) form_.norm.ApplyRows(params_, batch_, mixed_.data(), mixed_.data());
    form_.output.ApplyRows(params_, batch_, mixed_.data(), y);
  }

 private:
  void StepRow(int64_t row, bool start, std::span<Slot<T>> state) {
    const int64_t heads = form_.heads, keys = heads * form_.d_key;
    const T *q = qkv_.data() + row * form_.qkv.out(), *v = q + 2 * keys;
    T *features = features_.data(), *decay = nullptr;
    if (form_.exponential) {
      T* m = state[1].data.data() + row * keys;
      decay = losses_.data();
      kernels::ExpAnchors(heads, form_.d_key, q, q + keys, start, m, decay, anchors_.data());
      kernels::ExpFeatures(heads, form_.d_key, q, q + keys, m, anchors_.data(), features,
                           features + keys);
      kernels::Apply(kernels::Activation::kExp, keys, decay, decay);
    } else {
      const kernels::FeatureShape shape{form_.map, 1, form_.qkv.out(), 2 * heads, form_.d_key};
      kernels::MapFeatures(shape, q, features);
    }
    T* matrix = state[0].data.data() + row * shape_.state_size();
    T* mixed = mixed_.data() + row * heads * form_.d_value;
    kernels::MatrixStateStep(shape_, features, features + heads * form_.d_features, v, decay, start,
                             matrix, form_.normalised ? read_.data() : mixed);
    if (!form_.normalised) return;
    kernels::NormaliseRead(heads, form_.d_value, static_cast<T>(form_.eps), read_.data(), mixed);
  }

  LinearAttentionForm form_;
  kernels::MatrixStateShape shape_;
  ParamView<T> params_;
  uint64_t seen_;
  int64_t batch_;
  Array<T> qkv_, features_, losses_, anchors_, read_, mixed_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeLinearAttentionStepper(const LinearAttentionForm& form,
                                                       int64_t batch, ParamView<T> params) {
  return std::make_unique<LinearAttentionStepper<T>>(form, batch, params);
}

template std::unique_ptr<Stepper<float>> MakeLinearAttentionStepper(const LinearAttentionForm&,
                                                                    int64_t, ParamView<float>);
template std::unique_ptr<Stepper<double>> MakeLinearAttentionStepper(const LinearAttentionForm&,
                                                                     int64_t, ParamView<double>);

}  // namespace ssm
