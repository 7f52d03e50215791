#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

/// Entries of a slot that must be alive after `steps` tokens, told from its declaration.
int64_t DueEntries(const SlotSpec& slot, int64_t steps) {
  if (slot.kind == SlotKind::kFixed) return 1;
  const int64_t complete = steps > slot.after ? (steps - slot.after) / slot.every : 0;
  return slot.kind == SlotKind::kGrowing ? complete : std::min(complete, slot.entries);
}

bool HoldsBytes(const SlotSpec& slot) { return slot.scalar_bytes == 1; }

template <Scalar T>
int64_t DueBytes(const State<T>& state) {
  int64_t bytes = 0;
  for (const Slot<T>& slot : state.slots) {
    for (int64_t steps : state.steps) {
      const auto number = static_cast<int64_t>(HoldsBytes(slot.spec) ? 1 : sizeof(T));
      bytes += DueEntries(slot.spec, steps) * slot.spec.entry.size() * number;
    }
  }
  return bytes;
}

/// The array of a slot has exactly the room its kind allows.
template <Scalar T>
bool HasItsShape(const Slot<T>& slot, int64_t rows) {
  const Shape& shape = slot.data.shape();
  const Shape entry = slot.spec.entry;
  if (slot.spec.kind == SlotKind::kFixed) return shape == entry.Prepend(rows);
  const bool growing = slot.spec.kind == SlotKind::kGrowing;
  const int64_t room = growing ? shape[1] : slot.spec.entries;
  return shape == entry.Prepend(room).Prepend(rows);
}

/// Every element beyond a row's live entries is 0.
template <Scalar T>
bool DeadIsZero(const Slot<T>& slot, const std::vector<int64_t>& steps) {
  if (slot.spec.kind == SlotKind::kFixed) return true;
  const int64_t entry = slot.spec.entry.size();
  const int64_t room = slot.data.shape()[1];
  for (size_t b = 0; b < steps.size(); ++b) {
    const T* row = slot.data.data() + static_cast<int64_t>(b) * room * entry;
    const int64_t due = std::min(DueEntries(slot.spec, steps[b]), room) * entry;
    if (!std::all_of(row + due, row + room * entry, [](T v) { return v == T{0}; })) return false;
  }
  return true;
}

/// A slot counted as bytes holds nothing else: whole numbers of -127 to 127.
template <Scalar T>
bool KeepsToBytes(const Slot<T>& slot) {
  if (!HoldsBytes(slot.spec)) return true;
  return std::ranges::all_of(slot.data.flat(), [](T value) {
    return value == std::nearbyint(value) && std::abs(value) <= 127;
  });
}

template <Scalar T>
void CheckState(const std::string& who, const State<T>& state, LawReport& report) {
  const int64_t found = state.LiveBytes(), due = DueBytes(state);
  report.Require(found == due,
                 fmt::format("{}: {} live bytes, {} by the kinds of its slots", who, found, due));
  report.Require(state.CapacityBytes() >= found, who + ": less room than live bytes");
  for (const Slot<T>& slot : state.slots) {
    report.Require(HasItsShape(slot, state.rows()), who + ": shape of " + slot.spec.name);
    report.Require(DeadIsZero(slot, state.steps), who + ": a dead entry of " + slot.spec.name);
    report.Require(KeepsToBytes(slot), who + ": no byte in " + slot.spec.name);
  }
}

}  // namespace

template <Scalar T>
LawResult BudgetLaw(const LawSubject<T>& subject, const LawRequest& request) {
  return ForCases<T>("budget", 0, subject, request, {}, [&](LawCase<T>& c, LawReport& report) {
    CheckState("fresh state", c.run.Fresh(c.batch.rows), report);
    CheckState("state after Forward", c.run.Whole(c.batch, c.initial).state, report);
    if (c.batch.lengths.size() > 0) return;
    CheckState("state after steps", c.run.Steps(c.batch, c.initial).state, report);
  });
}

template LawResult BudgetLaw(const LawSubject<float>&, const LawRequest&);
template LawResult BudgetLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
