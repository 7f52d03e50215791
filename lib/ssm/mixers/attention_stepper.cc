#include "ssm/mixers/attention_stepper.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/kernels/attention.h"
#include "ssm/kernels/rotary.h"

namespace ssm {
namespace {

template <Scalar T>
class AttentionStepper final : public Stepper<T> {
 public:
  AttentionStepper(const AttentionForm& form, int64_t batch, ParamView<T> params)
      : form_(form),
        params_(params),
        seen_(params.version == nullptr ? 0 : *params.version),
        batch_(batch),
        width_(form.heads * form.d_head),
        qkv_(Shape{batch, 3 * width_}),
        mixed_(Shape{batch, width_}),
        turns_(Shape{form.d_head}),
        slopes_(Shape{form.alibi ? form.heads : 0}) {
    for (int64_t h = 0; h < slopes_.size(); ++h) {
      slopes_[h] = static_cast<T>(kernels::AlibiSlope(h, form.heads));
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
    if (form_.rotary_base > 0) Turn(in.pos);
    for (int64_t row = 0; row < batch_; ++row) StepRow(row, in.pos[row], state);
    form_.output.ApplyRows(params_, batch_, mixed_.data(), y);
  }

 private:
  void Turn(const int64_t* pos) {
    const kernels::RotaryShape shape{1, 3 * width_, 2 * form_.heads, form_.d_head};
    for (int64_t row = 0; row < batch_; ++row) {
      if (row == 0 || pos[row] != pos[row - 1]) {
        kernels::RotaryTable(1, form_.d_head, pos + row, form_.rotary_base, turns_.data());
      }
      T* qkv = qkv_.data() + row * shape.width;
      kernels::Rotate(shape, turns_.data(), qkv, qkv);
    }
  }

  void StepRow(int64_t row, int64_t position, std::span<Slot<T>> state) {
    const int64_t entries = state[0].data.shape()[1], size = entries * width_;
    const bool full = form_.window == 0;
    SSM_CHECK(!full || position < entries,
              "a growing cache has no room for the token: its owner reserves before each step");
    T *k = state[0].data.data() + row * size, *v = state[1].data.data() + row * size;
    if (position == 0) {
      std::fill_n(k, size, T{0});
      std::fill_n(v, size, T{0});
    }
    const T* qkv = qkv_.data() + row * 3 * width_;
    const int64_t live = std::min(position, entries);
    // A full ring's entries before the oldest hold newer tokens than those behind it.
    const bool wrapped = bias_.any() && 0 < entries && entries <= position;
    const int64_t newer = wrapped ? position % entries : live;
    const kernels::KeyRun<T> runs[] = {
        {newer, k, v, newer}, {live - newer, k + newer * width_, v + newer * width_, live}};
    kernels::AttendToken<T>(form_.heads, form_.d_head, bias_, qkv, runs,
                            mixed_.data() + row * width_);
    if (entries == 0) return;
    const int64_t entry = position % entries * width_;
    std::copy_n(qkv + width_, width_, k + entry);
    std::copy_n(qkv + 2 * width_, width_, v + entry);
  }

  AttentionForm form_;
  ParamView<T> params_;
  uint64_t seen_;
  int64_t batch_, width_;
  Array<T> qkv_, mixed_, turns_, slopes_;
  kernels::DistanceBias<T> bias_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeAttentionStepper(const AttentionForm& form, int64_t batch,
                                                 ParamView<T> params) {
  return std::make_unique<AttentionStepper<T>>(form, batch, params);
}

template std::unique_ptr<Stepper<float>> MakeAttentionStepper(const AttentionForm&, int64_t,
                                                              ParamView<float>);
template std::unique_ptr<Stepper<double>> MakeAttentionStepper(const AttentionForm&, int64_t,
                                                               ParamView<double>);

}  // namespace ssm
