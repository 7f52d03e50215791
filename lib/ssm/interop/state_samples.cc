#include "ssm/interop/state_samples.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/mixers/state_tensors.h"

namespace ssm {
namespace {

/// Numbers of one row that may be live in any sample: all but spare room.
template <Scalar T>
int64_t WidthOf(const std::vector<State<T>>& states, size_t slot) {
  const Slot<T>& last = states.back().slots[slot];
  if (last.spec.kind != SlotKind::kGrowing) return last.data.size() / last.rows();
  int64_t live = 0;
  for (const int64_t steps : states.back().steps) live = std::max(live, last.LiveEntries(steps));
  return live * last.spec.entry.size();
}

template <Scalar T>
Shape ShapeOf(const Slot<T>& slot, int64_t n, int64_t width) {
  const Shape& entry = slot.spec.entry;
  Shape shape = slot.spec.kind == SlotKind::kFixed
                    ? entry
                    : entry.Prepend(entry.size() > 0 ? width / entry.size() : 0);
  if (shape.rank() > Shape::kMaxRank - 2) shape = Shape{width};
  return shape.Prepend(slot.rows()).Prepend(n);
}

}  // namespace

template <Scalar T>
void StateSamples<T>::Take(const State<T>& state) {
  states_.push_back(state.Clone());
}

template <Scalar T>
std::string StateSamples<T>::FileBytes(const std::string& model, int64_t every) const {
  SSM_CHECK(!states_.empty(), "no state was taken");
  TensorFile file;
  file.metadata = {{"format", "ssm-states-1"}, {"model", model}, {"every", std::to_string(every)}};
  const int64_t rows = states_.front().rows();
  IntArray steps(Shape{size(), rows});
  for (int64_t n = 0; n < size(); ++n) {
    std::ranges::copy(states_[static_cast<size_t>(n)].steps, steps.data() + n * rows);
  }
  file.Add("steps", std::move(steps));
  for (size_t i = 0; i < states_.front().slots.size(); ++i) {
    const int64_t width = WidthOf(states_, i);
    Array<T> stacked(ShapeOf(states_.back().slots[i], size(), width));
    T* to = stacked.data();
    for (const State<T>& state : states_) {
      const Slot<T>& slot = state.slots[i];
      const int64_t held = slot.data.size() / rows;
      for (int64_t b = 0; b < rows; ++b, to += width) {
        std::copy_n(slot.data.data() + b * held, std::min(width, held), to);
      }
    }
    const SlotSpec& spec = states_.front().slots[i].spec;
    AddNumbers(spec, std::move(stacked), file);
    if (spec.kind == SlotKind::kFixed) continue;
    IntArray kept(Shape{size(), rows});
    for (int64_t n = 0; n < size(); ++n) {
      const State<T>& state = states_[static_cast<size_t>(n)];
      for (int64_t b = 0; b < rows; ++b) {
        kept[n * rows + b] = KeptEntries(state.slots[i], b, state.steps[static_cast<size_t>(b)]);
      }
    }
    file.Add(EntriesName(spec), std::move(kept));
  }
  return SafetensorsBytes(file);
}

template class StateSamples<float>;
template class StateSamples<double>;

}  // namespace ssm
