#include "ssm/mixers/channel_stepper.h"

#include "ssm/base/errors.h"
#include "ssm/kernels/dense_scan.h"
#include "ssm/kernels/rows.h"
#include "ssm/mixers/packed_weight.h"

namespace ssm {
namespace {

template <Scalar T>
class ChannelStepper final : public Stepper<T> {
 public:
  ChannelStepper(const Tape<T>& tape, int64_t batch, const ChannelSnapshot<T>& snapshot)
      : version_(tape.params().version),
        seen_(version_ == nullptr ? 0 : *version_),
        step_{batch, 1, tape.shape(snapshot.c)[0], tape.shape(snapshot.c)[1], nullptr},
        b_(CopyOf(tape, snapshot.system.b_bar)),
        c_(CopyOf(tape, snapshot.c)),
        skip_(CopyOf(tape, snapshot.skip)),
        a_(Shape{kernels::DenseScanPackedSize<T>(step_)}),
        scratch_(Shape{kernels::DenseScanScratch<T>(step_)}),
        driven_(Shape{batch, step_.width()}) {
    kernels::PackDenseScan(step_, tape.value(snapshot.system.a_minus_1), a_.data());
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(version_ == nullptr || *version_ == seen_,
              "the parameters changed after this stepper was made: make a new one");
    const int64_t n = step_.states, numbers = step_.rows * step_.groups;
    T* h = state[0].data.data();
    for (int64_t i = 0; i < numbers; ++i) {
      const T* b = b_.data() + i % step_.groups * n;
      for (int64_t j = 0; j < n; ++j) driven_[i * n + j] = in.x[i] * b[j];
    }
    kernels::DenseScanShape step = step_;
    step.pos = in.pos;
    kernels::DenseScan<T>(step, a_.data(), driven_.data(), h, h, scratch_.data());
    for (int64_t i = 0; i < numbers; ++i) {
      const int64_t d = i % step_.groups;
      y[i] = kernels::Dot(n, c_.data() + d * n, h + i * n) + skip_[d] * in.x[i];
    }
  }

 private:
  const uint64_t* version_;
  uint64_t seen_;
  kernels::DenseScanShape step_;
  Array<T> b_, c_, skip_, a_, scratch_, driven_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeChannelStepper(const Tape<T>& tape, int64_t batch,
                                               const ChannelSnapshot<T>& snapshot) {
  return std::make_unique<ChannelStepper<T>>(tape, batch, snapshot);
}

template std::unique_ptr<Stepper<float>> MakeChannelStepper(const Tape<float>&, int64_t,
                                                            const ChannelSnapshot<float>&);
template std::unique_ptr<Stepper<double>> MakeChannelStepper(const Tape<double>&, int64_t,
                                                             const ChannelSnapshot<double>&);

}  // namespace ssm
