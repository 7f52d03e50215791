#include "ssm/training/boundary_states.h"

#include <doctest/doctest.h>

namespace ssm {
namespace {

/// Two rows of a fixed slot of three numbers, a ring of two entries and a growing slot.
State<double> Fresh() {
  const std::vector<SlotSpec> slots = {
      {.name = "h", .kind = SlotKind::kFixed, .entry = Shape{3}},
      {.name = "ring", .kind = SlotKind::kRing, .entry = Shape{1}, .entries = 2},
      {.name = "keys", .kind = SlotKind::kGrowing, .entry = Shape{1}}};
  return MakeState<double>(slots, 2);
}

/// The state after `steps` tokens: slots filled with numbers that tell when.
void Advance(State<double>& state, int64_t steps) {
  state.Reserve(1);
  for (Slot<double>& slot : state.slots) {
    if (slot.spec.kind != SlotKind::kGrowing) slot.data.Fill(static_cast<double>(steps));
  }
  Slot<double>& keys = state.slots[2];
  const int64_t room = keys.data.shape()[1];
  for (int64_t b = 0; b < 2; ++b) keys.data[b * room + steps - 1] = static_cast<double>(steps);
  state.steps.assign(2, steps);
}

TEST_CASE("every state between chunks comes back, growing slots as prefixes or copies") {
  for (const bool start_over : {false, true}) {
    CAPTURE(start_over);
    State<double> state = Fresh(), into = Fresh();
    BoundaryStates<double> boundaries;
    boundaries.Clear(state, 20, start_over);
    for (int64_t n = 1; n <= 20; ++n) {
      Advance(state, n);
      boundaries.Keep(state);
    }
    for (const int64_t n : {20, 1, 7}) {
      boundaries.Restore(static_cast<size_t>(n - 1), state, into);
      CHECK(into.steps == std::vector<int64_t>{n, n});
      CHECK(into.slots[0].data[5] == static_cast<double>(n));
      CHECK(into.slots[1].data[3] == static_cast<double>(n));
      const int64_t room = into.slots[2].data.shape()[1];
      REQUIRE(room >= n);
      for (int64_t i = 0; i < n; ++i) {
        CHECK(into.slots[2].data[room + i] == static_cast<double>(i + 1));
      }
    }
  }
}

TEST_CASE("many states take their numbers, and 8 bytes for each slot and row") {
  State<double> state = Fresh();
  BoundaryStates<double> boundaries;
  boundaries.Clear(state, 1000, false);
  for (int64_t n = 1; n <= 1000; ++n) {
    state.steps.assign(2, n);
    boundaries.Keep(state);
  }
  // Of a state: 2 x 3 and 2 x 2 x 1 numbers, the ends of two slots, two step counts.
  CHECK(boundaries.bytes() == 1000 * 8 * (6 + 4 + 2 + 2));
}

}  // namespace
}  // namespace ssm
