// What of attention can be told by hand: who is seen, what the caches hold and weigh, gradients
// through a ring, appends in place. Its values are those of tests/reference, its laws those of
// tests/verify.
#include "ssm/mixers/attention.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "ssm/autograd/ops/attention.h"
#include "ssm/base/errors.h"
#include "support/numbers.h"

namespace ssm {
namespace {

constexpr int64_t kRows = 2, kModel = 4;
constexpr int64_t kHour = 108000;  // tokens at 30 Hz

AttentionOptions Window(int64_t window) {
  AttentionOptions options;
  options.heads = 2;
  auto* cache = dynamic_cast<WindowCacheOptions*>(options.cache.Select("window"));
  cache->window = window;
  return options;
}

AttentionOptions Full() {
  AttentionOptions options;
  options.heads = 2;
  return options;
}

Array<double> Draw(const Shape& shape, uint64_t seed) {
  Array<double> array(shape);
  std::ranges::copy(test::Numbers<double>(shape.size(), seed), array.data());
  return array;
}

/// Steps [from, from + n) of x [B, T, D].
Array<double> Steps(const Array<double>& x, int64_t from, int64_t n) {
  const int64_t steps = x.shape()[1], width = x.shape()[2];
  Array<double> part(Shape{x.shape()[0], n, width});
  for (int64_t b = 0; b < x.shape()[0]; ++b) {
    std::copy_n(x.data() + (b * steps + from) * width, n * width, part.data() + b * n * width);
  }
  return part;
}

void CheckNear(std::span<const double> a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  double worst = 0, largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  CHECK(worst <= 1e-13 * largest);
}

/// A mixer at its initial parameters.
class Attentive {
 public:
  explicit Attentive(const AttentionOptions& options)
      : builder_(store_, 5),
        mixer_(options, {.d_model = kModel}, builder_),
        values_(store_),
        grads_(Shape{store_.flat_size()}) {}

  ParamView<double> View() { return values_.View(grads_.data()); }
  std::span<const double> grads() const { return grads_.flat(); }
  State<double> Fresh() const { return MakeState<double>(mixer_.Slots(), kRows); }
  const AttentionMixer<double>& mixer() const { return mixer_; }
  const ParameterStore& store() const { return store_; }

 private:
  ParameterStore store_;
  ParameterBuilder builder_;
  AttentionMixer<double> mixer_;
  Parameters<double> values_;
  Array<double> grads_;
};

/// One pass on a tape of its own.
struct Pass {
  Pass(Attentive& attentive, Array<double> input,
       TapeState<double> (*watch)(Tape<double>&, State<double>&), State<double>& before)
      : tape(Mode::kTrain, attentive.View()), x(std::move(input)) {
    watched = watch(tape, before);
    clock = MakeClock(tape, watched.steps, x.shape()[1], nullptr, nullptr);
    in = tape.Watch(x.shape(), x.data());
    out = attentive.mixer().Forward(tape, {in, &clock, {}, 1, {}}, watched.slots, {},
                                    Want::kOutputAndState);
  }
  std::span<const double> y() const { return Values(tape.value(out.y), x.size()); }
  std::span<const double> d_x() const { return Values(tape.grad(in), x.size()); }
  static std::span<const double> Values(const double* values, int64_t n) {
    return {values, static_cast<size_t>(n)};
  }

  Tape<double> tape;
  Array<double> x;
  TapeState<double> watched;
  Clock clock;
  Var<double> in;
  Outputs<double> out;
};

TapeState<double> Copying(Tape<double>& tape, State<double>& state) { return Watch(tape, state); }
TapeState<double> InPlace(Tape<double>& tape, State<double>& state) {
  return WatchInPlace<double>(tape, state, nullptr);
}

TEST_CASE("a token sees exactly the newest W of its own sequence, itself counted") {
  constexpr int64_t kSteps = 12;
  for (const int64_t window : {1, 3, 5, 0}) {
    CAPTURE(window);
    for (int64_t t = 0; t < kSteps; ++t) {
      Tape<double> tape(Mode::kTrain);
      IntArray start(Shape{1, kSteps});
      start[7] = 1;
      const std::vector<int64_t> fresh = {0};
      const Clock clock = MakeClock(tape, std::span(fresh), kSteps, &start, nullptr);
      const Array<double> qkv = Draw({1, kSteps, 3}, 1);
      const Var<double> in = tape.Watch(qkv.shape(), qkv.data());
      const Var<double> y = Attention<double>(tape, in, {}, {}, 1, window, clock);
      Array<double> one(Shape{1, kSteps, 1});
      one[t] = 1;
      tape.Seed(y, one.data());
      tape.Backward();
      const int64_t first = t < 7 ? 0 : 7;
      const int64_t oldest = window == 0 ? first : std::max(first, t - window + 1);
      for (int64_t j = 0; j < kSteps; ++j) {
        CAPTURE(t);
        CAPTURE(j);
        CHECK((tape.grad(in)[3 * j + 2] != 0) == (oldest <= j && j <= t));
      }
    }
  }
}

TEST_CASE("equal scores average the values that are seen") {
  Tape<double> tape(Mode::kInfer);
  const std::vector<int64_t> fresh = {0};
  const Clock clock = MakeClock(tape, std::span(fresh), 4, nullptr, nullptr);
  // q = 0, so that keys do not matter; v = 1, 2, 4, 8.
  const Array<double> qkv = [] {
    Array<double> array(Shape{1, 4, 3});
    for (int64_t t = 0; t < 4; ++t) {
      array[3 * t + 1] = static_cast<double>(t) - 9;
      array[3 * t + 2] = static_cast<double>(int64_t{1} << t);
    }
    return array;
  }();
  const Var<double> in = tape.Bind(qkv.shape(), qkv.data());
  const double* y = tape.value(Attention<double>(tape, in, {}, {}, 1, 3, clock));
  CHECK(y[0] == doctest::Approx(1).epsilon(1e-15));
  CHECK(y[1] == doctest::Approx(1.5).epsilon(1e-15));
  CHECK(y[2] == doctest::Approx(7.0 / 3).epsilon(1e-15));
  CHECK(y[3] == doctest::Approx(14.0 / 3).epsilon(1e-15));
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

TEST_CASE("a window as long as the sequence is full attention") {
  constexpr int64_t kSteps = 9;
  Attentive full(Full()), window(Window(kSteps));
  State<double> none = full.Fresh(), ring = window.Fresh();
  const Array<double> x = Draw({kRows, kSteps, kModel}, 4);
  const Pass a(full, x.Clone(), Copying, none), b(window, x.Clone(), Copying, ring);
  CheckNear(a.y(), b.y());
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

TEST_CASE("slots and parameters") {
  const Attentive window(Window(5)), alone(Window(1)), full(Full());
  CHECK(window.mixer().Slots()[0].kind == SlotKind::kRing);
  CHECK(window.mixer().Slots()[1].entries == 4);
  CHECK(alone.mixer().Slots()[1].entries == 0);
  CHECK(full.mixer().Slots()[1].kind == SlotKind::kGrowing);
  CHECK(full.mixer().Slots()[0].name == "k");
  CHECK(full.mixer().Slots()[1].name == "v");
  CHECK(full.store().Find("qkv.weight")->param.shape == Shape{3 * kModel, kModel});
  CHECK(full.store().Find("output.weight")->param.shape == Shape{kModel, kModel});
}

class Sentences final : public Faults {
 public:
  void Add(std::string_view key, std::string_view sentence) override {
    text += std::string(key) + ": " + std::string(sentence);
  }
  std::string text;
};

std::string FaultsAt(int64_t d_model, int64_t heads, PositionKind positions) {
  AttentionOptions options;
  options.heads = heads;
  options.positions = positions;
  Sentences faults;
  options.CheckIn({.d_model = d_model}, faults);
  return faults.text;
}

TEST_CASE("heads must share d_model, and rotary positions need pairs of channels") {
  constexpr PositionKind kRotary = PositionKind::kRotary;
  CHECK(FaultsAt(6, 3, kRotary).empty());
  CHECK(FaultsAt(9, 3, PositionKind::kNone).empty());
  CHECK(FaultsAt(8, 3, kRotary) ==
        "heads: 3 heads cannot share d_model, 8, equally: use 1, 2, 4 or 8");
  CHECK(FaultsAt(1, 3, kRotary) == "heads: 3 heads cannot share d_model, 1, equally: use 1");
  CHECK(FaultsAt(18, 6, kRotary) ==
        "heads: d_model / heads is 18 / 6 = 3, but rotary positions turn channels in pairs: use 1, "
        "3 or 9 heads, or positions \"none\"");
  CHECK(FaultsAt(9, 3, kRotary) ==
        "heads: d_model / heads is 9 / 3 = 3, but rotary positions turn channels in pairs: use "
        "positions \"none\"");
}

}  // namespace
}  // namespace ssm
