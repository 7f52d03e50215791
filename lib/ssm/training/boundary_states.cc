#include "ssm/training/boundary_states.h"

#include <algorithm>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// The shape of a slot that holds `size` numbers: growing ones have the room of their time.
template <Scalar T>
Shape ShapeOf(const Slot<T>& slot, int64_t size) {
  if (slot.spec.kind != SlotKind::kGrowing) return slot.data.shape();
  const int64_t room = size / (slot.rows() * slot.spec.entry.size());
  return slot.spec.entry.Prepend(room).Prepend(slot.rows());
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
void BoundaryStates<T>::Clear(const State<T>& first, int64_t count, bool rows_start_over) {
  rows_start_over_ = rows_start_over;
  rows_ = first.steps.size();
  const size_t n = static_cast<size_t>(count);
  steps_.clear();
  steps_.reserve(n * rows_);
  kept_.resize(first.slots.size());
  for (size_t s = 0; s < kept_.size(); ++s) {
    kept_[s].values.clear();
    kept_[s].ends.clear();
    const Slot<T>& slot = first.slots[s];
    if (!Copies(slot)) continue;
    kept_[s].ends.reserve(n);
    if (slot.spec.kind != SlotKind::kGrowing) {
      kept_[s].values.reserve(n * static_cast<size_t>(slot.data.size()));
    }
  }
}

template <Scalar T>
void BoundaryStates<T>::Keep(const State<T>& state) {
  steps_.insert(steps_.end(), state.steps.begin(), state.steps.end());
  for (size_t s = 0; s < kept_.size(); ++s) {
    if (!Copies(state.slots[s])) continue;
    const std::span<const T> data = state.slots[s].data.flat();
    kept_[s].values.insert(kept_[s].values.end(), data.begin(), data.end());
    kept_[s].ends.push_back(kept_[s].values.size());
  }
}

template <Scalar T>
void BoundaryStates<T>::Restore(size_t i, const State<T>& last, State<T>& into) const {
  SSM_CHECK((i + 1) * rows_ <= steps_.size(), "a boundary that was not kept");
  const auto steps = steps_.begin() + static_cast<std::ptrdiff_t>(i * rows_);
  into.steps.assign(steps, steps + static_cast<std::ptrdiff_t>(rows_));
  for (size_t s = 0; s < last.slots.size(); ++s) {
    Array<T>& data = into.slots[s].data;
    if (!Copies(last.slots[s])) {
      CopyPrefix(last.slots[s], into.steps, data);
      continue;
    }
    const Kept& kept = kept_[s];
    const size_t begin = i == 0 ? 0 : kept.ends[i - 1];
    data.Resize(ShapeOf(last.slots[s], static_cast<int64_t>(kept.ends[i] - begin)));
    std::copy(kept.values.begin() + static_cast<std::ptrdiff_t>(begin),
              kept.values.begin() + static_cast<std::ptrdiff_t>(kept.ends[i]), data.data());
  }
}

template <Scalar T>
int64_t BoundaryStates<T>::bytes() const {
  size_t bytes = steps_.capacity() * sizeof(int64_t);
  for (const Kept& kept : kept_) {
    bytes += kept.values.capacity() * sizeof(T) + kept.ends.capacity() * sizeof(size_t);
  }
  return static_cast<int64_t>(bytes);
}

template class BoundaryStates<float>;
template class BoundaryStates<double>;

}  // namespace ssm
