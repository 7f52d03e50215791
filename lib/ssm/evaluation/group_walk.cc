#include "ssm/evaluation/group_walk.h"

#include <algorithm>

#include "ssm/autograd/pass_counts.h"

namespace ssm {
namespace {

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
  walk_.emplace(*shared.subject->model, shared.subject->params, shared.prepared,
                static_cast<T>(shared.key.dt_scale), rows);
  if (shared.after_step) {
    walk_->CallAfterStep([this](int64_t t) { shared_->after_step(*this, t); });
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
  if (!walk_) {
    y_.Fill(0);
    return;
  }
  const bool last = position_ >= shared_->key.length;
  walk_->Answer(tape, model_piece_.view(), piece_.steps,
                last ? Want::kOutput : Want::kOutputAndState, y_.data());
  if (shared_->prepared != nullptr) AddCounts(tape.counts(), counts_);
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
  return walk_ ? walk_->state().CapacityBytes() / walk_->state().rows() : 0;
}

template <Scalar T>
int64_t GroupWalk<T>::LiveBytes() const {
  int64_t largest = 0;
  if (!walk_) return largest;
  for (const int64_t steps : walk_->state().steps) {
    int64_t bytes = 0;
    for (const Slot<T>& slot : walk_->state().slots) {
      bytes += slot.LiveEntries(steps) * slot.spec.EntryBytes(sizeof(T));
    }
    largest = std::max(largest, bytes);
  }
  return largest;
}

template class GroupWalk<float>;
template class GroupWalk<double>;

}  // namespace ssm
