// What of attention can be told by hand: who is seen, with which weight, and what configs may ask.
// Its values are those of tests/reference, its laws those of
// tests/verify.
#include "ssm/autograd/ops/attention.h"

#include <doctest/doctest.h>

#include "mixers/attention_harness.h"

namespace ssm::test {
namespace {

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
      const Var<double> y =
          Attention<double>(tape, in, {}, {}, {.heads = 1, .window = window}, clock);
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
  const double* y =
      tape.value(Attention<double>(tape, in, {}, {}, {.heads = 1, .window = 3}, clock));
  CHECK(y[0] == doctest::Approx(1).epsilon(1e-15));
  CHECK(y[1] == doctest::Approx(1.5).epsilon(1e-15));
  CHECK(y[2] == doctest::Approx(7.0 / 3).epsilon(1e-15));
  CHECK(y[3] == doctest::Approx(14.0 / 3).epsilon(1e-15));
}

TEST_CASE("alibi weighs a key e^(-slope distance), learned_relative e^(its entry)") {
  // Two heads of one channel; q = 0, v of token t is t + 1 in both.
  constexpr int64_t kSteps = 6, kHeads = 2;
  Tape<double> tape(Mode::kInfer);
  const std::vector<int64_t> fresh = {0};
  const Clock clock = MakeClock(tape, std::span(fresh), kSteps, nullptr, nullptr);
  Array<double> qkv(Shape{1, kSteps, 3 * kHeads});
  for (int64_t t = 0; t < kSteps; ++t) {
    qkv[6 * t + 4] = qkv[6 * t + 5] = static_cast<double>(t + 1);
  }
  const Array<double> table = Draw({kHeads, 3}, 6);
  const double slopes[] = {0.0625, 0.00390625};
  for (const bool alibi : {true, false}) {
    AttentionView<double> view{.heads = kHeads, .window = 4};
    view.bias.alibi = alibi;
    if (!alibi) view.bias.table = tape.Bind(table.shape(), table.data());
    const Var<double> in = tape.Bind(qkv.shape(), qkv.data());
    const double* y = tape.value(Attention<double>(tape, in, {}, {}, view, clock));
    for (int64_t t = 0; t < kSteps; ++t) {
      for (int64_t h = 0; h < kHeads; ++h) {
        double sum = 0, total = 0;
        for (int64_t d = 0; d <= t && d < 4; ++d) {
          const double weight = std::exp(alibi ? -slopes[h] * static_cast<double>(d)
                                               : table[3 * h + std::min<int64_t>(d, 2)]);
          total += weight;
          sum += weight * static_cast<double>(t - d + 1);
        }
        CHECK(y[kHeads * t + h] == doctest::Approx(sum / total).epsilon(1e-14));
      }
    }
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
}  // namespace ssm::test
