#include "ssm/mixers/transformer_xl_stepper.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/kernels/gemm.h"
#include "ssm/kernels/rows.h"
#include "ssm/kernels/softmax.h"
#include "ssm/mixers/packed_weight.h"

namespace ssm {
namespace {

template <Scalar T>
class TransformerXlStepper final : public Stepper<T> {
 public:
  TransformerXlStepper(const Tape<T>& tape, int64_t batch, const TransformerXlForm<T>& form)
      : params_(tape.params()),
        seen_(params_.version == nullptr ? 0 : *params_.version),
        batch_(batch),
        width_(tape.shape(form.u)[0]),
        heads_(form.heads),
        d_head_(width_ / heads_),
        reach_(form.reach),
        scale_(static_cast<T>(form.scale)),
        output_(form.output),
        qkv_(CopyOf(tape, form.qkv)),
        r_(CopyOf(tape, form.r)),
        u_(CopyOf(tape, form.u)),
        v_(CopyOf(tape, form.v)),
        q_(Shape{batch, width_}),
        mixed_(Shape{batch, width_}),
        shifted_(Shape{d_head_}),
        as_input_(Shape{width_}),
        weights_(Shape{reach_.Distances()}) {}

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(params_.version == nullptr || *params_.version == seen_,
              "the parameters changed after this transformer_xl stepper was made: make a new one");
    kernels::GemmTransposedB(batch_, width_, width_, in.x, qkv_.data(), q_.data(),
                             kernels::Write::kAssign);
    for (int64_t row = 0; row < batch_; ++row) {
      StepRow(row, in.pos[row], in.x + row * width_, state[0]);
    }
    output_.ApplyRows(params_, batch_, mixed_.data(), y);
  }

 private:
  void StepRow(int64_t row, int64_t position, const T* x, Slot<T>& inputs) {
    const int64_t entries = inputs.spec.entries;
    T* ring = inputs.data.data() + row * entries * width_;
    if (position == 0) std::fill_n(ring, entries * width_, T{0});
    for (int64_t head = 0; head < heads_; ++head) StepHead(row, head, position, x, ring, entries);
    if (entries > 0) std::copy_n(x, width_, ring + position % entries * width_);
  }

  void StepHead(int64_t row, int64_t head, int64_t position, const T* x, const T* ring,
                int64_t entries) {
    const int64_t first = reach_.First(position), n = position + 1 - first, at = head * d_head_;
    const auto input = [&](int64_t j) {
      return first + j == position ? x : ring + (first + j) % entries * width_;
    };
    const T* q = q_.data() + row * width_ + at;
    Shift(q, u_.data() + at);
    kernels::Gemm(1, width_, d_head_, shifted_.data(), Weight(1, head), as_input_.data(),
                  kernels::Write::kAssign);
    Shift(q, v_.data() + at);
    for (int64_t j = 0; j < n; ++j) {
      const T* r = r_.data() + (n - 1 - j) * width_ + at;
      weights_[j] = scale_ * (kernels::Dot(width_, as_input_.data(), input(j)) +
                              kernels::Dot(d_head_, shifted_.data(), r));
    }
    kernels::Softmax(1, n, weights_.data(), weights_.data());
    as_input_.Fill(0);
    for (int64_t j = 0; j < n; ++j) {
      kernels::Axpy(width_, weights_[j], input(j), as_input_.data());
    }
    kernels::Gemv(d_head_, width_, Weight(2, head), as_input_.data(),
                  mixed_.data() + row * width_ + at, false);
  }

  /// The head's rows of W_q (part 0), W_k (1) or W_v (2).
  const T* Weight(int64_t part, int64_t head) const {
    return qkv_.data() + (part * width_ + head * d_head_) * width_;
  }
  void Shift(const T* q, const T* by) {
    for (int64_t d = 0; d < d_head_; ++d) shifted_[d] = q[d] + by[d];
  }

  ParamView<T> params_;
  uint64_t seen_;
  int64_t batch_, width_, heads_, d_head_;
  kernels::KeyReach reach_;
  T scale_;
  LinearLayer output_;
  Array<T> qkv_, r_, u_, v_;
  Array<T> q_, mixed_, shifted_, as_input_, weights_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeTransformerXlStepper(const Tape<T>& tape, int64_t batch,
                                                     const TransformerXlForm<T>& form) {
  return std::make_unique<TransformerXlStepper<T>>(tape, batch, form);
}

template std::unique_ptr<Stepper<float>> MakeTransformerXlStepper(const Tape<float>&, int64_t,
                                                                  const TransformerXlForm<float>&);
template std::unique_ptr<Stepper<double>> MakeTransformerXlStepper(
    const Tape<double>&, int64_t, const TransformerXlForm<double>&);

}  // namespace ssm
