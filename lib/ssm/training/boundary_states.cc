#include "ssm/training/boundary_states.h"

#include <algorithm>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

template <Scalar T>
void CopyArray(const Array<T>& from, Array<T>& into) {
  into.Resize(from.shape());
  std::copy_n(from.data(), from.size(), into.data());
}

/// The entries that `steps` tokens of each row have made; the rest is 0.
template <Scalar T>
void CopyPrefix(const Slot<T>& from, const std::vector<int64_t>& steps, Array<T>& into) {
  int64_t most = 0;
  for (const int64_t n : steps) most = std::max(most, from.LiveEntries(n));
  into.Resize(from.spec.entry.Prepend(most).Prepend(from.rows()));
  into.Fill(0);
  const int64_t entry = from.spec.entry.size();
  const int64_t stride = from.data.shape()[1] * entry;
  for (int64_t b = 0; b < from.rows(); ++b) {
    const int64_t live = from.LiveEntries(steps[static_cast<size_t>(b)]);
    std::copy_n(from.data.data() + b * stride, live * entry, into.data() + b * most * entry);
  }
}

}  // namespace

template <Scalar T>
void BoundaryStates<T>::Clear(bool rows_start_over) {
  rows_start_over_ = rows_start_over;
  count_ = 0;
}

template <Scalar T>
void BoundaryStates<T>::Keep(const State<T>& state) {
  if (count_ == kept_.size()) kept_.emplace_back();
  Kept& kept = kept_[count_++];
  kept.steps = state.steps;
  kept.slots.resize(state.slots.size());
  for (size_t i = 0; i < state.slots.size(); ++i) {
    if (Copies(state.slots[i])) {
      CopyArray(state.slots[i].data, kept.slots[i]);
    } else {
      kept.slots[i].Resize(Shape{0});
    }
  }
}

template <Scalar T>
void BoundaryStates<T>::Restore(size_t i, const State<T>& last, State<T>& into) const {
  SSM_CHECK(i < count_, "a boundary that was not kept");
  const Kept& kept = kept_[i];
  into.steps = kept.steps;
  for (size_t s = 0; s < last.slots.size(); ++s) {
    if (Copies(last.slots[s])) {
      CopyArray(kept.slots[s], into.slots[s].data);
    } else {
      CopyPrefix(last.slots[s], kept.steps, into.slots[s].data);
    }
  }
}

template <Scalar T>
int64_t BoundaryStates<T>::bytes() const {
  int64_t bytes = 0;
  for (const Kept& kept : kept_) {
    for (const Array<T>& slot : kept.slots) bytes += slot.bytes();
  }
  return bytes;
}

template class BoundaryStates<float>;
template class BoundaryStates<double>;

}  // namespace ssm
