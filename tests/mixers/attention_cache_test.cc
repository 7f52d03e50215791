// What the caches of attention hold and weigh: gradients through a ring, appends in place, bytes.
#include "mixers/attention_harness.h"
#include "ssm/base/errors.h"

namespace ssm::test {
namespace {

constexpr int64_t kHour = 108000;  // tokens at 30 Hz

/// Steps [from, from + n) of x [B, T, D].
Array<double> Steps(const Array<double>& x, int64_t from, int64_t n) {
  const int64_t steps = x.shape()[1], width = x.shape()[2];
  Array<double> part(Shape{x.shape()[0], n, width});
  for (int64_t b = 0; b < x.shape()[0]; ++b) {
    std::copy_n(x.data() + (b * steps + from) * width, n * width, part.data() + b * n * width);
  }
  return part;
}

TapeState<double> InPlace(Tape<double>& tape, State<double>& state) {
  return WatchInPlace<double>(tape, state, nullptr);
}

TEST_CASE("gradients through the ring are those of one whole pass") {
  constexpr int64_t kWindow = 4, kBefore = 6;
  for (const int64_t steps : {kWindow - 1, kWindow, kWindow + 1, 2 * kWindow + 1}) {
    CAPTURE(steps);
    const Array<double> x = Draw({kRows, kBefore + steps, kModel}, 2);
    const Array<double> g = Draw(x.shape(), 3);

    Attentive whole(Window(kWindow));
    State<double> fresh = whole.Fresh();
    Pass one(whole, x.Clone(), Copying, fresh);
    one.tape.Seed(one.out.y, g.data());
    one.tape.Backward();

    Attentive cut(Window(kWindow));
    Pass first(cut, Steps(x, 0, kBefore), Copying, fresh);
    State<double> between = cut.Fresh();
    Read(first.tape, {first.out.next, first.clock.after}, between);
    Pass second(cut, Steps(x, kBefore, steps), Copying, between);
    second.tape.Seed(second.out.y, Steps(g, kBefore, steps).data());
    second.tape.Backward();
    first.tape.Seed(first.out.y, Steps(g, 0, kBefore).data());
    for (size_t i = 0; i < 2; ++i) {
      const double* through = second.tape.grad(second.watched.slots[i]);
      REQUIRE(through != nullptr);
      first.tape.Seed(first.out.next[i], through);
    }
    first.tape.Backward();

    Array<double> d_x(x.shape());
    std::ranges::copy(one.d_x(), d_x.data());
    CheckNear(first.d_x(), Steps(d_x, 0, kBefore).flat());
    CheckNear(second.d_x(), Steps(d_x, kBefore, steps).flat());
    CheckNear(cut.grads(), whole.grads());
  }
}

TEST_CASE("a full cache with room is appended to in place") {
  constexpr int64_t kFirst = 5, kSecond = 3;
  const Array<double> x = Draw({kRows, kFirst + kSecond, kModel}, 5);
  Attentive attentive(Full());
  State<double> copied = attentive.Fresh(), state = attentive.Fresh();
  state.Reserve(kFirst + kSecond);
  const double* memory = state.slots[0].data.data();
  for (const auto& [from, n] : {std::pair{int64_t{0}, kFirst}, {kFirst, kSecond}}) {
    const Pass by_copy(attentive, Steps(x, from, n), Copying, copied);
    const Pass in_place(attentive, Steps(x, from, n), InPlace, state);
    CHECK(in_place.tape.value(in_place.out.next[0]) == memory);
    CHECK(std::ranges::equal(in_place.y(), by_copy.y()));
    Read(by_copy.tape, {by_copy.out.next, by_copy.clock.after}, copied);
    Read(in_place.tape, {in_place.out.next, in_place.clock.after}, state);
    CHECK(SameState(state, copied));
  }
  CHECK(state.slots[0].data.data() == memory);
}

TEST_CASE("gradients of an append in place are those of a copy") {
  const Array<double> x = Draw({kRows, 3, kModel}, 6), g = Draw(x.shape(), 7);
  Attentive by_copy(Full()), in_place(Full());
  State<double> state = by_copy.Fresh();
  state.Reserve(7);
  state.steps = {4, 2};
  for (size_t i = 0; i < 2; ++i) {
    state.slots[i].data = Draw(state.slots[i].data.shape(), 8 + i);
  }
  const Array<double> g_next = Draw(state.slots[0].data.shape(), 10);
  Pass copied(by_copy, x.Clone(), Copying, state);
  copied.tape.Seed(copied.out.y, g.data());
  for (Var<double> slot : copied.out.next) copied.tape.Seed(slot, g_next.data());
  copied.tape.Backward();

  State<double> own = state.Clone();
  std::vector<Array<double>> grads;
  for (int i = 0; i < 2; ++i) grads.push_back(g_next.Clone());
  Tape<double> tape(Mode::kTrain, in_place.View());
  const TapeState<double> watched = WatchInPlace(tape, own, &grads);
  const Clock clock = MakeClock(tape, watched.steps, 3, nullptr, nullptr);
  const Var<double> in = tape.Watch(x.shape(), x.data());
  const Outputs<double> out = in_place.mixer().Forward(tape, {in, &clock, {}, 1, {}}, watched.slots,
                                                       {}, Want::kOutputAndState);
  tape.Seed(out.y, g.data());
  tape.Backward();

  CheckNear(Pass::Values(tape.grad(in), x.size()), copied.d_x());
  CheckNear(in_place.grads(), by_copy.grads());
  for (size_t i = 0; i < 2; ++i) {
    const double* expected = copied.tape.grad(copied.watched.slots[i]);
    for (int64_t b = 0; b < kRows; ++b) {
      const int64_t live = state.steps[static_cast<size_t>(b)] * kModel, row = b * 7 * kModel;
      CheckNear(Pass::Values(grads[i].data() + row, live), Pass::Values(expected + row, live));
    }
  }
}

TEST_CASE("live bytes: the window's for ever, the full cache's with every token of an hour") {
  constexpr int64_t kNumber = sizeof(double);
  Attentive full(Full()), window(Window(8));
  State<double> growing = full.Fresh(), ring = window.Fresh();
  growing.Reserve(kHour);
  const auto full_stepper = full.mixer().MakeStepper(kRows, full.View(), 1);
  const auto ring_stepper = window.mixer().MakeStepper(kRows, window.View(), 1);
  const Array<double> x = Draw({kRows, kModel}, 11);
  Array<double> y(x.shape());
  for (State<double>* state : {&growing, &ring}) {
    state->steps.assign(kRows, kHour - 2);
    for (Slot<double>& slot : state->slots) slot.data.Fill(0.25);
  }
  for (int step = 0; step < 2; ++step) {
    full_stepper->Step({x.data(), nullptr, nullptr, growing.steps.data()}, growing.slots, y.data());
    ring_stepper->Step({x.data(), nullptr, nullptr, ring.steps.data()}, ring.slots, y.data());
    for (State<double>* state : {&growing, &ring}) {
      for (int64_t& steps : state->steps) ++steps;
    }
  }
  CHECK(growing.steps[0] == kHour);
  CHECK(growing.LiveBytes() == kRows * 2 * kHour * kModel * kNumber);
  CHECK(growing.CapacityBytes() == growing.LiveBytes());
  CHECK(ring.LiveBytes() == kRows * 2 * 7 * kModel * kNumber);
  // Token 107,999 lies at entry 107,999 mod 7 = 3 of the ring, at the last of the cache.
  CHECK(ring.slots[1].data[3 * kModel] == growing.slots[1].data[(kHour - 1) * kModel]);
  CHECK(ring.slots[1].data[3 * kModel] != 0.25);
  CHECK(ring.slots[1].data[4 * kModel] == 0.25);
}

TEST_CASE("a stepper refuses a cache without room") {
  Attentive full(Full());
  State<double> state = full.Fresh();
  const auto stepper = full.mixer().MakeStepper(kRows, full.View(), 1);
  const Array<double> x = Draw({kRows, kModel}, 12);
  Array<double> y(x.shape());
  CHECK_THROWS_WITH_AS(
      stepper->Step({x.data(), nullptr, nullptr, state.steps.data()}, state.slots, y.data()),
      doctest::Contains("no room for the token"), Error);
}

}  // namespace
}  // namespace ssm::test
