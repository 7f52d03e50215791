#include "ssm/mixers/lti_stepper.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/kernels/dense_scan.h"
#include "ssm/mixers/packed_weight.h"

namespace ssm {
namespace {

template <Scalar T>
class LtiStepper final : public Stepper<T> {
 public:
  LtiStepper(const Tape<T>& tape, int64_t batch, const LtiSnapshot<T>& snapshot)
      : version_(tape.params().version),
        seen_(version_ == nullptr ? 0 : *version_),
        channels_(tape.shape(snapshot.c)[0]),
        step_{batch, 1, 1, tape.shape(snapshot.c)[1], nullptr},
        b_(tape, snapshot.b_bar),
        c_(tape, snapshot.c),
        d_(tape, snapshot.d),
        a_(Shape{kernels::DenseScanPackedSize<T>(step_)}),
        scratch_(Shape{kernels::DenseScanScratch<T>(step_)}),
        product_(Shape{batch, b_.stride()}),
        driven_(Shape{batch, step_.states}),
        read_(Shape{batch, c_.stride()}),
        passed_(Shape{batch, d_.stride()}) {
    kernels::PackDenseScan(step_, tape.value(snapshot.a_minus_1), a_.data());
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(version_ == nullptr || *version_ == seen_,
              "the parameters changed after this lti stepper was made: make a new one");
    const int64_t rows = step_.rows, n = step_.states;
    T* h = state[0].data.data();
    b_.Multiply(rows, in.x, product_.data());
    for (int64_t row = 0; row < rows; ++row) {
      std::copy_n(product_.data() + row * b_.stride(), n, driven_.data() + row * n);
    }
    kernels::DenseScanShape step = step_;
    step.pos = in.pos;
    kernels::DenseScan(step, a_.data(), driven_.data(), h, h, scratch_.data());
    c_.Multiply(rows, h, read_.data());
    d_.Multiply(rows, in.x, passed_.data());
    for (int64_t row = 0; row < rows; ++row) {
      const T *read = read_.data() + row * c_.stride(),
              *passed = passed_.data() + row * d_.stride();
      for (int64_t i = 0; i < channels_; ++i) y[row * channels_ + i] = read[i] + passed[i];
    }
  }

 private:
  const uint64_t* version_;
  uint64_t seen_;
  int64_t channels_;
  kernels::DenseScanShape step_;
  PackedWeight<T> b_, c_, d_;
  Array<T> a_, scratch_, product_, driven_, read_, passed_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeLtiStepper(const Tape<T>& tape, int64_t batch,
                                           const LtiSnapshot<T>& snapshot) {
  return std::make_unique<LtiStepper<T>>(tape, batch, snapshot);
}

template std::unique_ptr<Stepper<float>> MakeLtiStepper(const Tape<float>&, int64_t,
                                                        const LtiSnapshot<float>&);
template std::unique_ptr<Stepper<double>> MakeLtiStepper(const Tape<double>&, int64_t,
                                                         const LtiSnapshot<double>&);

}  // namespace ssm
