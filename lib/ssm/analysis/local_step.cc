#include "ssm/analysis/local_step.h"

#include <algorithm>

namespace ssm {

LocalStep::LocalStep(const IsolatedMixer& mixer, double dt_scale)
    : mixer_(&mixer),
      dt_scale_(dt_scale),
      tape_(Mode::kTrain, mixer.values().View()),
      prepared_tape_(Mode::kInfer, mixer.values().View()) {
  const std::vector<SlotSpec>& slots = mixer.mixer().Slots();
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].kind != SlotKind::kFixed || !slots[i].differentiable) continue;
    slots_.push_back(i);
    size_ += slots[i].entry.size();
  }
  prepared_ = prepared_tape_.NewVars(mixer.mixer().PreparedCount());
  mixer.mixer().Prepare(prepared_tape_, 1, dt_scale, prepared_);
}

void LocalStep::Gather(const State<double>& state, int64_t b, double* values) const {
  for (const size_t i : slots_) {
    const int64_t n = state.slots[i].spec.entry.size();
    std::copy_n(state.slots[i].data.data() + b * n, n, values);
    values += n;
  }
}

void LocalStep::Scatter(const double* values, int64_t b, State<double>& state) const {
  for (const size_t i : slots_) {
    const int64_t n = state.slots[i].spec.entry.size();
    std::copy_n(values, n, state.slots[i].data.data() + b * n);
    values += n;
  }
}

void LocalStep::Run(State<double>& state, const double* x, const double* dt,
                    std::vector<double>& seeds) {
  const int64_t rows = state.rows();
  state.Reserve(1);
  tape_.Reset();
  const TapeState<double> before = Watch(tape_, state);
  const Clock clock = MakeClock(tape_, before.steps, 1, nullptr, nullptr);
  Inputs<double> in;
  in.x = tape_.Copy(Shape{rows, 1, mixer_->channels()}, x);
  in.clock = &clock;
  if (dt != nullptr) in.dt = tape_.Copy(Shape{rows, 1}, dt);
  in.dt_scale = dt_scale_;
  const std::span<Var<double>> prepared = tape_.NewVars(std::ssize(prepared_));
  for (size_t i = 0; i < prepared.size(); ++i) {
    if (!prepared_[i]) continue;
    prepared[i] =
        tape_.Bind(prepared_tape_.shape(prepared_[i]), prepared_tape_.value(prepared_[i]));
  }
  const Outputs<double> out =
      mixer_->mixer().Forward(tape_, in, before.slots, prepared, Want::kOutputAndState);
  State<double> next = state.Clone();
  if (!seeds.empty()) {
    std::vector<double> of_slot;
    int64_t from = 0;
    for (const size_t i : slots_) {
      const int64_t n = state.slots[i].spec.entry.size();
      of_slot.resize(static_cast<size_t>(rows * n));
      for (int64_t b = 0; b < rows; ++b) {
        std::copy_n(seeds.data() + b * size_ + from, n, of_slot.data() + b * n);
      }
      tape_.Seed(out.next[i], of_slot.data());
      from += n;
    }
  }
  Read(tape_, TapeState<double>{out.next, clock.after}, next);
  if (!seeds.empty()) {
    tape_.Backward();
    int64_t from = 0;
    for (const size_t i : slots_) {
      const int64_t n = state.slots[i].spec.entry.size();
      const double* gradient = tape_.grad(before.slots[i]);
      for (int64_t b = 0; b < rows; ++b) {
        double* to = seeds.data() + b * size_ + from;
        // Before its first token a row's state is not read.
        if (gradient == nullptr) {
          std::fill_n(to, n, 0.0);
        } else {
          std::copy_n(gradient + b * n, n, to);
        }
      }
      from += n;
    }
  }
  state = std::move(next);
}

}  // namespace ssm
