#include "ssm/mixers/state.h"

#include <algorithm>
#include <cstring>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

Shape SlotShape(const SlotSpec& spec, int64_t rows, int64_t capacity) {
  const Shape entries = spec.kind == SlotKind::kFixed ? spec.entry : spec.entry.Prepend(capacity);
  return entries.Prepend(rows);
}

/// Entries complete after `steps` tokens.
int64_t EntriesAfter(const SlotSpec& spec, int64_t steps) {
  return std::max<int64_t>(steps - spec.after, 0) / spec.every;
}

/// Entries a slot has room for.
template <Scalar T>
int64_t Capacity(const Slot<T>& slot) {
  return slot.spec.kind == SlotKind::kFixed ? 1 : slot.data.shape()[1];
}

template <Scalar T>
void Grow(Slot<T>& slot, int64_t needed) {
  const int64_t old_capacity = Capacity(slot);
  if (needed <= old_capacity) return;
  const int64_t capacity = std::max(needed, 2 * old_capacity);
  Array<T> data(SlotShape(slot.spec, slot.rows(), capacity));
  const int64_t entry = slot.spec.entry.size();
  for (int64_t b = 0; b < slot.rows(); ++b) {
    std::copy_n(slot.data.data() + b * old_capacity * entry, old_capacity * entry,
                data.data() + b * capacity * entry);
  }
  slot.data = std::move(data);
}

}  // namespace

template <Scalar T>
int64_t Slot<T>::LiveEntries(int64_t steps) const {
  if (spec.kind == SlotKind::kFixed) return 1;
  return std::min(EntriesAfter(spec, steps), Capacity(*this));
}

template <Scalar T>
State<T> State<T>::Clone() const {
  State copy;
  copy.steps = steps;
  for (const Slot<T>& slot : slots) copy.slots.push_back({slot.spec, slot.data.Clone()});
  return copy;
}

template <Scalar T>
void State<T>::Reserve(int64_t more) {
  if (steps.empty()) return;
  const int64_t longest = *std::max_element(steps.begin(), steps.end()) + more;
  for (Slot<T>& slot : slots) {
    if (slot.spec.kind == SlotKind::kGrowing) Grow(slot, EntriesAfter(slot.spec, longest));
  }
}

template <Scalar T>
void State<T>::ResetRow(int64_t b) {
  for (Slot<T>& slot : slots) {
    const int64_t row = slot.data.size() / slot.rows();
    std::fill_n(slot.data.data() + b * row, row, T{0});
  }
  steps[static_cast<size_t>(b)] = 0;
}

template <Scalar T>
int64_t State<T>::LiveBytes() const {
  int64_t bytes = 0;
  for (const Slot<T>& slot : slots) {
    for (int64_t n : steps) {
      bytes += slot.LiveEntries(n) * slot.spec.EntryBytes(sizeof(T));
    }
  }
  return bytes;
}

template <Scalar T>
int64_t State<T>::CapacityBytes() const {
  int64_t bytes = 0;
  for (const Slot<T>& slot : slots) bytes += slot.data.bytes();
  return bytes;
}

template <Scalar T>
State<T> MakeState(std::span<const SlotSpec> slots, int64_t batch) {
  State<T> state;
  state.steps.assign(static_cast<size_t>(batch), 0);
  for (const SlotSpec& spec : slots) {
    const int64_t capacity = spec.kind == SlotKind::kGrowing ? 0 : spec.entries;
    state.slots.push_back({spec, Array<T>(SlotShape(spec, batch, capacity))});
  }
  return state;
}

template <Scalar T>
bool SameState(const State<T>& a, const State<T>& b) {
  if (a.steps != b.steps || a.slots.size() != b.slots.size()) return false;
  for (size_t i = 0; i < a.slots.size(); ++i) {
    const Slot<T>& left = a.slots[i];
    const Slot<T>& right = b.slots[i];
    const bool growing = left.spec.kind == SlotKind::kGrowing;
    if (left.spec.name != right.spec.name || !(left.spec.entry == right.spec.entry)) return false;
    if (!growing && !(left.data.shape() == right.data.shape())) return false;
    const int64_t entry = left.spec.entry.size();
    for (int64_t row = 0; row < a.rows(); ++row) {
      const int64_t steps = a.steps[static_cast<size_t>(row)];
      const int64_t live = growing ? left.LiveEntries(steps) : Capacity(left);
      if (growing && live != right.LiveEntries(steps)) return false;
      if (std::memcmp(left.data.data() + row * Capacity(left) * entry,
                      right.data.data() + row * Capacity(right) * entry,
                      static_cast<size_t>(live * entry) * sizeof(T)) != 0) {
        return false;
      }
    }
  }
  return true;
}

namespace {

template <Scalar T>
TapeState<T> Handles(Tape<T>& tape, const State<T>& state) {
  TapeState<T> handles{tape.NewVars(static_cast<int64_t>(state.slots.size())),
                       tape.NewInts(state.rows())};
  std::copy(state.steps.begin(), state.steps.end(), handles.steps.begin());
  return handles;
}

}  // namespace

template <Scalar T>
TapeState<T> Watch(Tape<T>& tape, const State<T>& state) {
  TapeState<T> handles = Handles(tape, state);
  for (size_t i = 0; i < state.slots.size(); ++i) {
    const Slot<T>& slot = state.slots[i];
    handles.slots[i] = slot.spec.differentiable ? tape.Watch(slot.data.shape(), slot.data.data())
                                                : tape.Bind(slot.data.shape(), slot.data.data());
  }
  return handles;
}

template <Scalar T>
TapeState<T> BindConstant(Tape<T>& tape, const State<T>& state) {
  TapeState<T> handles = Handles(tape, state);
  for (size_t i = 0; i < state.slots.size(); ++i) {
    handles.slots[i] = tape.Bind(state.slots[i].data.shape(), state.slots[i].data.data());
  }
  return handles;
}

template <Scalar T>
TapeState<T> WatchInPlace(Tape<T>& tape, State<T>& state, std::vector<Array<T>>* grads) {
  TapeState<T> handles = Handles(tape, state);
  for (size_t i = 0; i < state.slots.size(); ++i) {
    Slot<T>& slot = state.slots[i];
    T* grad = grads != nullptr && slot.spec.differentiable ? (*grads)[i].data() : nullptr;
    handles.slots[i] =
        tape.Bind(slot.data.shape(), slot.data.data(), grad, slot.spec.kind == SlotKind::kGrowing);
  }
  return handles;
}

template <Scalar T>
void Read(const Tape<T>& tape, const TapeState<T>& from, State<T>& into) {
  SSM_CHECK(from.slots.size() == into.slots.size(), "a state is read into another model's state");
  std::copy(from.steps.begin(), from.steps.end(), into.steps.begin());
  for (size_t i = 0; i < into.slots.size(); ++i) {
    Array<T>& data = into.slots[i].data;
    const T* value = tape.value(from.slots[i]);
    if (value == data.data()) continue;
    if (!(data.shape() == tape.shape(from.slots[i]))) data = Array<T>(tape.shape(from.slots[i]));
    if (tape.Live()) std::copy_n(value, data.size(), data.data());
  }
}

#define SSM_INSTANTIATE(T)                                                         \
  template struct Slot<T>;                                                         \
  template struct State<T>;                                                        \
  template State<T> MakeState(std::span<const SlotSpec>, int64_t);                 \
  template bool SameState(const State<T>&, const State<T>&);                       \
  template TapeState<T> Watch(Tape<T>&, const State<T>&);                          \
  template TapeState<T> BindConstant(Tape<T>&, const State<T>&);                   \
  template TapeState<T> WatchInPlace(Tape<T>&, State<T>&, std::vector<Array<T>>*); \
  template void Read(const Tape<T>&, const TapeState<T>&, State<T>&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
