#include "ssm/mixers/rwkv4_stepper.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/kernels/pointwise.h"
#include "ssm/kernels/wkv.h"

namespace ssm {
namespace {

using kernels::Activation;

/// A snapshot's parameters, and whether they still are the model's.
template <Scalar T>
class Snapshot {
 public:
  explicit Snapshot(ParamView<T> params)
      : params_(params), seen_(params.version == nullptr ? 0 : *params.version) {}
  void Check() const {
    SSM_CHECK(params_.version == nullptr || *params_.version == seen_,
              "the parameters changed after this rwkv4 stepper was made: make a new one");
  }

 private:
  ParamView<T> params_;
  uint64_t seen_;
};

/// The token that the next one is mixed with.
template <Scalar T>
void Remember(const T* x, Slot<T>& slot) {
  std::copy_n(x, slot.data.size(), slot.data.data());
}

template <Scalar T>
class Rwkv4Stepper final : public Stepper<T> {
 public:
  Rwkv4Stepper(Tape<T>& tape, const Rwkv4Parameters& from, int64_t batch)
      : snapshot_(tape.params()),
        batch_(batch),
        width_(from.time_decay.shape.size()),
        rate_(Shape{width_}),
        bonus_(CopyOf(tape, tape.Use(from.time_first))),
        key_(tape, from.key, batch),
        value_(tape, from.value, batch),
        receptance_(tape, from.receptance, batch),
        output_(tape, tape.Use(from.output)),
        read_(Shape{batch, width_}),
        y_(Shape{batch, output_.stride()}) {
    kernels::WkvRates(width_, tape.value(tape.Use(from.time_decay)), rate_.data());
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    snapshot_.Check();
    const T* tail = state[0].data.data();
    for (ShiftedRows<T>* rows : {&key_, &value_, &receptance_}) rows->Multiply(in.pos, tail, in.x);
    Remember(in.x, state[0]);
    T *mean = state[1].data.data(), *log_weight = state[2].data.data();
    for (int64_t row = 0; row < batch_; ++row) {
      T* read = read_.data() + row * width_;
      kernels::Wkv<T>({1, 1, width_, in.pos + row}, {rate_.data(), bonus_.data()}, key_.Row(row),
                      value_.Row(row), {mean + row * width_, log_weight + row * width_}, read, {});
      kernels::ApplyProduct(Activation::kSigmoid, width_, receptance_.Row(row), read, read);
    }
    output_.Multiply(batch_, read_.data(), y_.data());
    for (int64_t row = 0; row < batch_; ++row) {
      std::copy_n(y_.data() + row * output_.stride(), width_, y + row * width_);
    }
  }

 private:
  Snapshot<T> snapshot_;
  int64_t batch_, width_;
  Array<T> rate_, bonus_;
  ShiftedRows<T> key_, value_, receptance_;
  PackedWeight<T> output_;
  Array<T> read_, y_;
};

template <Scalar T>
class Rwkv4ChannelStepper final : public Stepper<T> {
 public:
  Rwkv4ChannelStepper(Tape<T>& tape, const Rwkv4ChannelParameters& from, int64_t batch)
      : snapshot_(tape.params()),
        batch_(batch),
        width_(from.value.shape[0]),
        hidden_width_(from.value.shape[1]),
        key_(tape, from.key, batch),
        receptance_(tape, from.receptance, batch),
        value_(tape, tape.Use(from.value)),
        hidden_(Shape{batch, hidden_width_}),
        y_(Shape{batch, value_.stride()}) {}

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    snapshot_.Check();
    const T* tail = state[0].data.data();
    for (ShiftedRows<T>* rows : {&key_, &receptance_}) rows->Multiply(in.pos, tail, in.x);
    Remember(in.x, state[0]);
    for (int64_t row = 0; row < batch_; ++row) {
      kernels::Apply(Activation::kSquaredRelu, hidden_width_, key_.Row(row),
                     hidden_.data() + row * hidden_width_);
    }
    value_.Multiply(batch_, hidden_.data(), y_.data());
    for (int64_t row = 0; row < batch_; ++row) {
      kernels::ApplyProduct(Activation::kSigmoid, width_, receptance_.Row(row),
                            y_.data() + row * value_.stride(), y + row * width_);
    }
  }

 private:
  Snapshot<T> snapshot_;
  int64_t batch_, width_, hidden_width_;
  ShiftedRows<T> key_, receptance_;
  PackedWeight<T> value_;
  Array<T> hidden_, y_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeRwkv4Stepper(const Rwkv4Parameters& parameters, int64_t batch,
                                             ParamView<T> params) {
  Tape<T> tape(Mode::kInfer, params);
  return std::make_unique<Rwkv4Stepper<T>>(tape, parameters, batch);
}

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeRwkv4ChannelStepper(const Rwkv4ChannelParameters& parameters,
                                                    int64_t batch, ParamView<T> params) {
  Tape<T> tape(Mode::kInfer, params);
  return std::make_unique<Rwkv4ChannelStepper<T>>(tape, parameters, batch);
}

#define SSM_INSTANTIATE(T)                                                                    \
  template std::unique_ptr<Stepper<T>> MakeRwkv4Stepper(const Rwkv4Parameters&, int64_t,      \
                                                        ParamView<T>);                        \
  template std::unique_ptr<Stepper<T>> MakeRwkv4ChannelStepper(const Rwkv4ChannelParameters&, \
                                                               int64_t, ParamView<T>);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
