// The int8 cache against attention over keys and values that were rounded by hand.
#include "ssm/mixers/attention_int8.h"

#include <cmath>
#include <vector>

#include "mixers/attention_harness.h"

namespace ssm::test {
namespace {

constexpr int64_t kSteps = 7, kHeads = 2, kHead = 3, kWidth = kHeads * kHead;

AttentionOptions Int8() {
  AttentionOptions options = Full();
  options.cache.Select("int8");
  return options;
}

/// Rounds head `head` of a token's keys (part 1) or values (part 2), by definition.
void RoundByHand(double* qkv, int64_t part, int64_t head) {
  double* x = qkv + part * kWidth + head * kHead;
  double largest = 0;
  for (int64_t d = 0; d < kHead; ++d) largest = std::max(largest, std::abs(x[d]));
  const double scale = largest / 127;
  for (int64_t d = 0; d < kHead; ++d) x[d] = std::nearbyint(x[d] / scale) * scale;
}

/// Softmax over the tokens up to each, by definition.
std::vector<double> AttendByHand(const Array<double>& qkv) {
  std::vector<double> y(kSteps * kWidth);
  for (int64_t t = 0; t < kSteps; ++t) {
    for (int64_t h = 0; h < kHeads; ++h) {
      const double* q = qkv.data() + t * 3 * kWidth + h * kHead;
      double total = 0;
      for (int64_t j = 0; j <= t; ++j) {
        const double* k = qkv.data() + j * 3 * kWidth + kWidth + h * kHead;
        double score = 0;
        for (int64_t d = 0; d < kHead; ++d) score += q[d] * k[d];
        const double weight = std::exp(score / std::sqrt(double{kHead}));
        total += weight;
        for (int64_t d = 0; d < kHead; ++d) {
          y[static_cast<size_t>(t * kWidth + h * kHead + d)] += weight * k[kWidth + d];
        }
      }
      for (int64_t d = 0; d < kHead; ++d) {
        y[static_cast<size_t>(t * kWidth + h * kHead + d)] /= total;
      }
    }
  }
  return y;
}

struct Subject {
  ParameterStore store;
  ParameterBuilder builder{store, 1};
  Int8Memory<double> memory{Int8CacheOptions(), {.heads = kHeads, .d_head = kHead}, builder};
};

/// y of a pass over tokens [from, from + n) of one row; `state` goes on.
std::vector<double> PassOver(const Subject& subject, const Array<double>& qkv, int64_t from,
                             int64_t n, State<double>& state) {
  Tape<double> tape(Mode::kInfer);
  const TapeState<double> before = Watch(tape, state);
  const Clock clock = MakeClock(tape, before.steps, n, nullptr, nullptr);
  const Var<double> in = tape.Bind({1, n, 3 * kWidth}, qkv.data() + from * 3 * kWidth);
  const Outputs<double> out = subject.memory.Attend(
      tape, in, AttentionView<double>{.heads = kHeads}, clock, before.slots, Want::kOutputAndState);
  Read(tape, {out.next, clock.after}, state);
  return {tape.value(out.y), tape.value(out.y) + n * kWidth};
}

TEST_CASE("int8 is full attention over rounded keys and values, the token's own too") {
  const Subject subject;
  const Array<double> qkv = Draw({1, kSteps, 3 * kWidth}, 21);
  Array<double> rounded = qkv.Clone();
  for (int64_t t = 0; t < kSteps; ++t) {
    for (int64_t h = 0; h < kHeads; ++h) {
      for (const int64_t part : {1, 2}) RoundByHand(rounded.data() + t * 3 * kWidth, part, h);
    }
  }
  const std::vector<double> expected = AttendByHand(rounded);

  State<double> state = MakeState<double>(subject.memory.Slots(), 1);
  std::vector<double> y = PassOver(subject, qkv, 0, 3, state);
  const std::vector<double> rest = PassOver(subject, qkv, 3, kSteps - 3, state);
  y.insert(y.end(), rest.begin(), rest.end());
  CheckNear(y, expected);

  State<double> stepped = MakeState<double>(subject.memory.Slots(), 1);
  std::vector<double> scratch(static_cast<size_t>(subject.memory.Scratch())), steps(y.size());
  for (int64_t t = 0; t < kSteps; ++t) {
    std::vector<double> token(qkv.data() + t * 3 * kWidth, qkv.data() + (t + 1) * 3 * kWidth);
    stepped.Reserve(1);
    subject.memory.Step({0, t, token.data(), {}, {}, scratch.data()}, stepped.slots,
                        steps.data() + t * kWidth);
    ++stepped.steps[0];
  }
  CheckNear(steps, expected);
  CHECK(SameState(stepped, state));

  for (int64_t t = 0; t < kSteps; ++t) {
    for (int64_t i = 0; i < kWidth; ++i) {
      const double code = state.slots[0].data[t * kWidth + i];
      const double scale = state.slots[2].data[t * kHeads + i / kHead];
      CHECK(code == std::nearbyint(code));
      CHECK(code * scale == doctest::Approx(rounded[(t * 3 + 1) * kWidth + i]).epsilon(1e-14));
    }
  }
}

TEST_CASE("int8 differs from full attention, by about a part in a hundred") {
  const Array<double> x = Draw({kRows, kSteps, kModel}, 22);
  Attentive full(Full()), bytes(Int8());
  State<double> none = full.Fresh(), fresh = bytes.Fresh();
  const Pass a(full, x.Clone(), Copying, none), b(bytes, x.Clone(), Copying, fresh);
  double worst = 0, largest = 0;
  for (size_t i = 0; i < a.y().size(); ++i) {
    worst = std::max(worst, std::abs(a.y()[i] - b.y()[i]));
    largest = std::max(largest, std::abs(a.y()[i]));
  }
  CHECK(worst > 1e-6 * largest);
  CHECK(worst < 0.02 * largest);
}

TEST_CASE("codes and scales are appended in place, and their gradients are those of a copy") {
  Attentive by_copy(Int8()), in_place(Int8());
  State<double> state = by_copy.Fresh();
  Pass first(by_copy, Draw({kRows, 4, kModel}, 23), Copying, state);
  Read(first.tape, {first.out.next, first.clock.after}, state);
  state.Reserve(3);
  const Array<double> x = Draw({kRows, 3, kModel}, 24), g = Draw(x.shape(), 25);
  Pass copied(by_copy, x.Clone(), Copying, state);
  std::vector<Array<double>> grads;
  for (const Slot<double>& slot : state.slots) grads.push_back(Draw(slot.data.shape(), 26));
  copied.tape.Seed(copied.out.y, g.data());
  for (size_t i = 0; i < 2; ++i) copied.tape.Seed(copied.out.next[i], grads[i].data());
  copied.tape.Backward();

  State<double> own = state.Clone();
  Tape<double> tape(Mode::kTrain, in_place.View());
  const TapeState<double> watched = WatchInPlace(tape, own, &grads);
  const Clock clock = MakeClock(tape, watched.steps, 3, nullptr, nullptr);
  const Var<double> in = tape.Watch(x.shape(), x.data());
  const Outputs<double> out = in_place.mixer().Forward(tape, {in, &clock, {}, 1, {}}, watched.slots,
                                                       {}, Want::kOutputAndState);
  for (size_t i = 0; i < 4; ++i) CHECK(tape.value(out.next[i]) == own.slots[i].data.data());
  tape.Seed(out.y, g.data());
  tape.Backward();
  CheckNear(Pass::Values(tape.grad(in), x.size()), copied.d_x());
  for (size_t i = 0; i < 2; ++i) {
    const double* expected = copied.tape.grad(copied.watched.slots[i]);
    const int64_t room = own.slots[i].data.shape()[1];
    for (int64_t b = 0; b < kRows; ++b) {
      const int64_t row = b * room * kModel;
      CheckNear(Pass::Values(grads[i].data() + row, 4 * kModel),
                Pass::Values(expected + row, 4 * kModel));
    }
  }
}

TEST_CASE("int8 holds a byte a number and a scale a head") {
  State<double> state = Attentive(Int8()).Fresh();
  std::ranges::fill(state.steps, 1000);
  state.Reserve(0);
  CHECK(state.LiveBytes() == kRows * 1000 * (2 * kModel + 2 * 2 * 8));
  CHECK(AttentionOptions(Int8()).Properties({.d_model = kModel}).quantises);
  CHECK_FALSE(Full().Properties({.d_model = kModel}).quantises);
}

}  // namespace
}  // namespace ssm::test
