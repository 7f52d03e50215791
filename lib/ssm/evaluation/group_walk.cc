#include "ssm/evaluation/group_walk.h"

#include <algorithm>

namespace ssm {
namespace {

/// Token t of every row of [B, T, ...], side by side in `to`; null when there is no such part.
template <class E>
const E* GatherToken(const Array<E>* from, int64_t rows, int64_t t, std::vector<E>& to) {
  if (from == nullptr) return nullptr;
  const int64_t steps = from->shape()[1];
  const int64_t width = from->size() / (rows * steps);
  to.resize(static_cast<size_t>(rows * width));
  for (int64_t b = 0; b < rows; ++b) {
    std::copy_n(from->data() + (b * steps + t) * width, width, to.data() + b * width);
  }
  return to.data();
}

StreamOptions StreamsOf(const CellKey& key, Detail detail) {
  return {.steps = key.length, .dt_scale = key.dt_scale, .detail = detail};
}

}  // namespace

template <Scalar T>
GroupWalk<T>::GroupWalk(const WalkShared<T>& shared, int64_t first, int64_t rows)
    : shared_(&shared),
      first_(first),
      reader_(*shared.subject->task, *shared.subject->workers),
      lengths_(static_cast<size_t>(rows), 0) {
  reader_.Open(shared.subject->seed, shared.key.split, first, rows,
               StreamsOf(shared.key, shared.detail));
  if (shared.subject->model == nullptr) return;
  state_ = shared.subject->model->InitialState(rows);
  if (shared.key.mode == EvalMode::kStep) {
    stepper_ = shared.subject->model->MakeStepper(rows, shared.subject->params,
                                                  static_cast<T>(shared.key.dt_scale));
  }
}

template <Scalar T>
bool GroupWalk<T>::Draw() {
  const int64_t left = shared_->key.length - position_;
  if (left <= 0) return false;
  if (!reader_.Next(std::min(shared_->piece_steps, left), &piece_)) return false;
  position_ += piece_.steps;
  CountLengths();
  return true;
}

template <Scalar T>
void GroupWalk<T>::Answer(Tape<T>& tape) {
  model_piece_.Set(piece_, 0, piece_.rows);
  y_.Resize(Shape{piece_.rows, piece_.steps, shared_->spec->outputs});
  if (shared_->subject->model == nullptr) {
    y_.Fill(0);
  } else if (stepper_ != nullptr) {
    RunSteps();
  } else {
    RunForward(tape);
  }
}

template <Scalar T>
void GroupWalk<T>::RunForward(Tape<T>& tape) {
  const bool last = position_ >= shared_->key.length;
  state_.Reserve(piece_.steps);
  tape.Reset();
  const TapeState<T> before = WatchInPlace<T>(tape, state_, nullptr);
  const ModelOutputs<T> outputs = shared_->subject->model->Forward(
      tape, model_piece_.view(), before, shared_->prepared->Bind(tape, nullptr),
      static_cast<T>(shared_->key.dt_scale), {}, last ? Want::kOutput : Want::kOutputAndState);
  std::copy_n(tape.value(outputs.y), y_.size(), y_.data());
  if (last) {
    state_.steps.assign(outputs.next.steps.begin(), outputs.next.steps.end());
  } else {
    Read(tape, outputs.next, state_);
  }
}

template <Scalar T>
void GroupWalk<T>::RunSteps() {
  const int64_t rows = piece_.rows;
  const int64_t outputs = shared_->spec->outputs;
  const Piece<T> all = model_piece_.view();
  std::vector<T> x, dt;
  std::vector<int64_t> tokens;
  std::vector<T> y(static_cast<size_t>(rows * outputs));
  for (int64_t t = 0; t < piece_.steps; ++t) {
    const StepInputs<T> in{.x = GatherToken(all.reals, rows, t, x),
                           .tokens = GatherToken(all.tokens, rows, t, tokens),
                           .dt = GatherToken(all.dt, rows, t, dt),
                           .pos = state_.steps.data()};
    for (int64_t b = 0; b < rows && all.start != nullptr; ++b) {
      if ((*all.start)[b * piece_.steps + t] != 0) state_.steps[static_cast<size_t>(b)] = 0;
    }
    state_.Reserve(1);
    stepper_->Step(in, state_.slots, y.data());
    for (int64_t b = 0; b < rows; ++b) {
      std::copy_n(y.data() + b * outputs, outputs, y_.data() + (b * piece_.steps + t) * outputs);
      // A row that has ended stays where it is: what it answers is not scored.
      if (t < LengthOf(b)) ++state_.steps[static_cast<size_t>(b)];
    }
    if (shared_->after_step) shared_->after_step(*this, t);
  }
}

template <Scalar T>
int64_t GroupWalk<T>::LengthOf(int64_t row) const {
  return piece_.lengths.size() > 0 ? piece_.lengths[row] : piece_.steps;
}

template <Scalar T>
void GroupWalk<T>::CountLengths() {
  for (int64_t b = 0; b < piece_.rows; ++b) lengths_[static_cast<size_t>(b)] += LengthOf(b);
}

template <Scalar T>
int64_t GroupWalk<T>::CapacityBytes() const {
  return state_.rows() > 0 ? state_.CapacityBytes() / state_.rows() : 0;
}

template <Scalar T>
int64_t GroupWalk<T>::LiveBytes() const {
  int64_t largest = 0;
  for (const int64_t steps : state_.steps) {
    int64_t bytes = 0;
    for (const Slot<T>& slot : state_.slots) {
      bytes += slot.LiveEntries(steps) * slot.spec.entry.size() * int64_t{sizeof(T)};
    }
    largest = std::max(largest, bytes);
  }
  return largest;
}

template class GroupWalk<float>;
template class GroupWalk<double>;

}  // namespace ssm
