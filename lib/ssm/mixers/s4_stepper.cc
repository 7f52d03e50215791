#include "ssm/mixers/s4_stepper.h"

#include <algorithm>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/kernels/dplr_step.h"

namespace ssm {
namespace {

template <Scalar T>
class S4Stepper final : public Stepper<T> {
 public:
  S4Stepper(const Tape<T>& tape, int64_t batch, const S4Snapshot<T>& snapshot)
      : batch_(batch),
        channels_(tape.shape(snapshot.c)[0]),
        modes_(tape.shape(snapshot.c)[1]),
        version_(tape.params().version),
        seen_(version_ == nullptr ? 0 : *version_),
        storage_(static_cast<size_t>(channels_ * kernels::DplrChannelSize(modes_))),
        skip_(tape.value(snapshot.skip), tape.value(snapshot.skip) + channels_) {
    const DiscreteDplr<T>& s = snapshot.system;
    const kernels::DplrSystem<T> system{
        channels_,       modes_,          tape.value(s.a_minus_1), tape.value(s.v),
        tape.value(s.f), tape.value(s.b), tape.value(snapshot.c),  nullptr};
    for (int64_t d = 0; d < channels_; ++d) {
      T* storage = storage_.data() + d * kernels::DplrChannelSize(modes_);
      rows_.push_back(kernels::DplrChannelIn(storage, modes_));
      kernels::LoadDplrChannel(system, d, rows_.back());
    }
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(version_ == nullptr || *version_ == seen_,
              "the parameters changed after this S4 stepper was made: make a new one");
    const int64_t entry = channels_ * modes_ * 2;
    for (int64_t row = 0; row < batch_; ++row) {
      T* h = state[0].data.data() + row * entry;
      if (in.pos != nullptr && in.pos[row] == 0) std::fill_n(h, entry, T{0});
      const T* x = in.x + row * channels_;
      for (int64_t d = 0; d < channels_; ++d, h += 2 * modes_) {
        const auto i = static_cast<size_t>(d);
        y[row * channels_ + d] =
            kernels::StepDplr(rows_[i], modes_, x[d], h, h).y + skip_[i] * x[d];
      }
    }
  }

 private:
  int64_t batch_, channels_, modes_;
  const uint64_t* version_;
  uint64_t seen_;
  std::vector<T> storage_;
  std::vector<kernels::DplrChannel<T>> rows_;  // of each channel, in storage_
  std::vector<T> skip_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeS4Stepper(const Tape<T>& tape, int64_t batch,
                                          const S4Snapshot<T>& snapshot) {
  return std::make_unique<S4Stepper<T>>(tape, batch, snapshot);
}

template std::unique_ptr<Stepper<float>> MakeS4Stepper(const Tape<float>&, int64_t,
                                                       const S4Snapshot<float>&);
template std::unique_ptr<Stepper<double>> MakeS4Stepper(const Tape<double>&, int64_t,
                                                        const S4Snapshot<double>&);

}  // namespace ssm
