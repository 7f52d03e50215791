#include "ssm/analysis/state_features.h"

#include <algorithm>

namespace ssm {
namespace {

constexpr int64_t kNewest = 64;  // entries of a growing slot

int64_t EntriesRead(const SlotSpec& slot) {
  if (slot.kind == SlotKind::kFixed) return 1;
  return slot.kind == SlotKind::kGrowing ? kNewest : slot.entries;
}

}  // namespace

int64_t FeatureCount(std::span<const SlotSpec> slots) {
  int64_t count = 0;
  for (const SlotSpec& slot : slots) {
    if (slot.differentiable) count += EntriesRead(slot) * slot.entry.size();
  }
  return count;
}

template <Scalar T>
void AppendFeatures(const State<T>& state, int64_t b, std::vector<double>& features) {
  const int64_t steps = state.steps[static_cast<size_t>(b)];
  for (const Slot<T>& slot : state.slots) {
    if (!slot.spec.differentiable) continue;
    const int64_t width = slot.spec.entry.size(), room = slot.data.size() / (slot.rows() * width);
    const T* row = slot.data.data() + b * room * width;
    // Entries that have begun; a ring forgets all but its newest.
    const int64_t begun = slot.spec.kind == SlotKind::kFixed ? 1
                          : steps > slot.spec.after ? (steps - slot.spec.after) / slot.spec.every
                                                    : 0;
    const int64_t live = slot.LiveEntries(steps);
    for (int64_t j = 0; j < EntriesRead(slot.spec); ++j) {
      if (j >= live) {
        features.insert(features.end(), static_cast<size_t>(width), 0.0);
        continue;
      }
      const bool ring = slot.spec.kind == SlotKind::kRing;
      const int64_t entry = ring ? (begun - 1 - j) % slot.spec.entries : live - 1 - j;
      std::copy_n(row + entry * width, width, std::back_inserter(features));
    }
  }
}

template void AppendFeatures(const State<float>&, int64_t, std::vector<double>&);
template void AppendFeatures(const State<double>&, int64_t, std::vector<double>&);

}  // namespace ssm
