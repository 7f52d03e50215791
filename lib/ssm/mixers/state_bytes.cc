#include "ssm/mixers/state_bytes.h"

#include <algorithm>

namespace ssm {

int64_t EntriesAfter(const SlotSpec& slot, int64_t steps) {
  if (slot.kind == SlotKind::kFixed) return 1;
  return std::max<int64_t>(steps - slot.after, 0) / slot.every;
}

double StateBytesAfter(std::span<const SlotSpec> slots, int64_t steps, int64_t scalar_bytes) {
  double bytes = 0;
  for (const SlotSpec& slot : slots) {
    const bool bounded = slot.kind == SlotKind::kRing || slot.kind == SlotKind::kFilling;
    const int64_t made = EntriesAfter(slot, steps);
    bytes += static_cast<double>(bounded ? std::min(made, slot.entries) : made) *
             static_cast<double>(slot.EntryBytes(scalar_bytes));
  }
  return bytes;
}

}  // namespace ssm
