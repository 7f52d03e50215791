#include "ssm/mixers/state.h"

#include <doctest/doctest.h>

namespace ssm {
namespace {

std::vector<SlotSpec> Slots() {
  return {{"h", SlotKind::kFixed, Shape{3, 2}},
          {"tail", SlotKind::kRing, Shape{5}, 4},
          {"none", SlotKind::kRing, Shape{5}, 0},
          {"keys", SlotKind::kGrowing, Shape{2}},
          {"pooled", SlotKind::kGrowing, Shape{2}, 1, 4, 6},
          {"sinks", SlotKind::kFilling, Shape{7}, 2}};
}

TEST_CASE("live bytes follow the kinds of slots") {
  auto state = MakeState<double>(Slots(), 2);
  state.steps = {0, 13};
  state.Reserve(0);
  // Row 0: 6. Row 1: 6 + ring 4*5 + growing 13*2 + pooled (13-6)/4 = 1 entry of 2 + filling 2*7.
  CHECK(state.LiveBytes() == 8 * (6 + 6 + 20 + 26 + 2 + 14));
}

TEST_CASE("growing slots double and keep what they hold") {
  auto state = MakeState<float>(Slots(), 2);
  state.Reserve(3);
  Slot<float>& keys = state.slots[3];
  CHECK(keys.data.shape() == Shape{2, 3, 2});
  for (int64_t i = 0; i < keys.data.size(); ++i) keys.data[i] = static_cast<float>(i + 1);
  state.steps = {3, 3};
  state.Reserve(1);
  CHECK(keys.data.shape() == Shape{2, 6, 2});
  CHECK(keys.data[0] == 1);
  CHECK(keys.data[5] == 6);
  CHECK(keys.data[6] == 0);
  CHECK(keys.data[12] == 7);
}

TEST_CASE("states are equal by their live entries") {
  auto a = MakeState<float>(Slots(), 1);
  a.Reserve(2);
  a.steps = {2};
  auto b = a.Clone();
  CHECK(SameState(a, b));
  b.Reserve(8);
  CHECK(SameState(a, b));
  b.slots[3].data[15] = 1;  // beyond the two live entries
  CHECK(SameState(a, b));
  b.slots[3].data[3] = 1;
  CHECK_FALSE(SameState(a, b));
  b = a.Clone();
  b.slots[1].data[19] = 1;  // dead ring entries must be 0
  CHECK_FALSE(SameState(a, b));
}

TEST_CASE("a reset row is fresh and its neighbour is untouched") {
  auto state = MakeState<double>(Slots(), 2);
  for (auto& slot : state.slots) slot.data.Fill(1.5);
  state.steps = {4, 5};
  state.ResetRow(0);
  CHECK(state.steps == std::vector<int64_t>{0, 5});
  CHECK(state.slots[0].data[5] == 0);
  CHECK(state.slots[0].data[6] == 1.5);
  CHECK(state.slots[1].data[19] == 0);
  CHECK(state.slots[1].data[20] == 1.5);
}

TEST_CASE("a watched state reads back and gives gradients") {
  auto state = MakeState<double>(Slots(), 2);
  state.slots[0].data.Fill(3);
  state.steps = {1, 0};
  Tape<double> tape(Mode::kTrain);
  const TapeState<double> watched = Watch(tape, state);
  const Var<double> h = watched.slots[0];
  const Var<double> doubled = tape.New(tape.shape(h));
  for (int64_t i = 0; i < 12; ++i) tape.out(doubled)[i] = 2 * tape.value(h)[i];
  tape.Record("double", {h}, {doubled}, 12, [=](Tape<double>& t) {
    for (int64_t i = 0; i < 12; ++i) t.acc(h)[i] += 2 * t.grad(doubled)[i];
  });
  watched.slots[0] = doubled;
  auto next = MakeState<double>(Slots(), 2);
  Read(tape, watched, next);
  CHECK(next.slots[0].data[11] == 6);
  CHECK(next.steps == state.steps);
  const std::vector<double> one(12, 1.0);
  tape.Seed(doubled, one.data(), 0.5);
  tape.Backward();
  CHECK(tape.grad(h)[7] == 1.0);
}

TEST_CASE("an append in place shares value and gradient with what it appends to") {
  auto state = MakeState<double>(std::vector<SlotSpec>{{"keys", SlotKind::kGrowing, Shape{1}}}, 1);
  state.Reserve(2);
  std::vector<Array<double>> grads;
  grads.emplace_back(state.slots[0].data.shape());
  Tape<double> tape(Mode::kTrain);
  const TapeState<double> bound = WatchInPlace(tape, state, &grads);
  const Var<double> appended = tape.Alias(bound.slots[0]);
  tape.out(appended)[1] = 5;
  CHECK(state.slots[0].data[1] == 5);
  const double seed[] = {1, 2};
  tape.Seed(appended, seed);
  tape.Backward();
  CHECK(grads[0][1] == 2);
}

}  // namespace
}  // namespace ssm
