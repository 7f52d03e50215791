#include "ssm/mixers/attention_stepper.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/kernels/rotary.h"

namespace ssm {
namespace {

template <Scalar T>
class AttentionStepper final : public Stepper<T> {
 public:
  AttentionStepper(const AttentionForm<T>& form, int64_t batch, ParamView<T> params)
      : form_(form),
        params_(params),
        seen_(params.version == nullptr ? 0 : *params.version),
        batch_(batch),
        width_(form.heads.width()),
        qkv_(Shape{batch, 3 * width_}),
        mixed_(Shape{batch, width_}),
        turns_(Shape{form.heads.d_head}),
        scratch_(Shape{form.memory->Scratch()}),
        slopes_(Shape{form.alibi ? form.heads.heads : 0}) {
    for (int64_t h = 0; h < slopes_.size(); ++h) {
      slopes_[h] = static_cast<T>(kernels::AlibiSlope(h, form.heads.heads));
    }
    if (form.alibi) bias_.slopes = slopes_.data();
    if (form.has_relative_bias) {
      bias_.table = params.values + form.relative_bias.offset;
      bias_.distances = form.relative_bias.shape[1];
    }
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(params_.version == nullptr || *params_.version == seen_,
              "the parameters changed after this attention stepper was made: make a new one");
    form_.qkv.ApplyRows(params_, batch_, in.x, qkv_.data());
    if (form_.heads.rotary_base > 0) Turn(in.pos);
    for (int64_t row = 0; row < batch_; ++row) {
      if (in.pos[row] == 0) Clear(row, state);
      form_.memory->Step(
          {row, in.pos[row], qkv_.data() + row * 3 * width_, bias_, params_, scratch_.data()},
          state, mixed_.data() + row * width_);
    }
    form_.output.ApplyRows(params_, batch_, mixed_.data(), y);
  }

 private:
  void Turn(const int64_t* pos) {
    const kernels::RotaryShape shape{1, 3 * width_, 2 * form_.heads.heads, form_.heads.d_head};
    for (int64_t row = 0; row < batch_; ++row) {
      if (row == 0 || pos[row] != pos[row - 1]) {
        kernels::RotaryTable(1, form_.heads.d_head, pos + row, form_.heads.rotary_base,
                             turns_.data());
      }
      T* qkv = qkv_.data() + row * shape.width;
      kernels::Rotate(shape, turns_.data(), qkv, qkv);
    }
  }

  void Clear(int64_t row, std::span<Slot<T>> state) const {
    for (Slot<T>& slot : state) {
      const int64_t size = slot.data.size() / batch_;
      std::fill_n(slot.data.data() + row * size, size, T{0});
    }
  }

  AttentionForm<T> form_;
  ParamView<T> params_;
  uint64_t seen_;
  int64_t batch_, width_;
  Array<T> qkv_, mixed_, turns_, scratch_, slopes_;
  kernels::DistanceBias<T> bias_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeAttentionStepper(const AttentionForm<T>& form, int64_t batch,
                                                 ParamView<T> params) {
  return std::make_unique<AttentionStepper<T>>(form, batch, params);
}

template std::unique_ptr<Stepper<float>> MakeAttentionStepper(const AttentionForm<float>&, int64_t,
                                                              ParamView<float>);
template std::unique_ptr<Stepper<double>> MakeAttentionStepper(const AttentionForm<double>&,
                                                               int64_t, ParamView<double>);

}  // namespace ssm
