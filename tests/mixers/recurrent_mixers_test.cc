// What of rnn, gru and lstm can be told by hand: their layout, where they start, what weights of
// zero do. Their values are those of tests/reference, their laws those of tests/verify.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ssm/mixers/gru.h"
#include "ssm/mixers/lstm.h"
#include "ssm/mixers/rnn.h"

namespace ssm {
namespace {

constexpr int64_t kRows = 1, kSteps = 5;

/// A mixer whose parameters are zero but for bias_ih.
template <class Options, template <Scalar> class Mixer>
class Zeroed {
 public:
  Zeroed(const Options& options, int64_t d_model, const std::vector<double>& bias)
      : builder_(store_, 3), mixer_(options, {.d_model = d_model}, builder_), values_(store_) {
    std::ranges::fill(values_.flat(), 0.0);
    std::ranges::copy(bias, values_.values(*store_.Find("bias_ih")).begin());
    values_.Touch();
  }

  const ParameterStore& store() const { return store_; }

  /// y of kSteps tokens of zeros from a state of ones; the final state stays in `state`.
  std::vector<double> Run() {
    state = MakeState<double>(mixer_.Slots(), kRows);
    state.steps[0] = 1;
    for (Slot<double>& slot : state.slots) slot.data.Fill(1);
    Tape<double> tape(Mode::kInfer, values_.View());
    const TapeState<double> before = BindConstant(tape, state);
    const Clock clock =
        MakeClock(tape, std::span<const int64_t>(state.steps), kSteps, nullptr, nullptr);
    const Array<double> x(Shape{kRows, kSteps, 1});
    const Inputs<double> in{tape.Bind(x.shape(), x.data()), &clock, {}, 1, {}};
    const Outputs<double> out = mixer_.Forward(tape, in, before.slots, {}, Want::kOutputAndState);
    const double* y = tape.value(out.y);
    const std::vector<double> result(y, y + kSteps);
    Read(tape, {out.next, clock.after}, state);
    return result;
  }

  State<double> state;

 private:
  ParameterStore store_;
  ParameterBuilder builder_;
  Mixer<double> mixer_;
  Parameters<double> values_;
};

TEST_CASE("an rnn without weights gives tanh of its bias") {
  Zeroed<RnnOptions, Rnn> rnn({}, 1, {0.5});
  const std::vector<double> y = rnn.Run();
  for (double value : y) CHECK(value == doctest::Approx(std::tanh(0.5)).epsilon(1e-14));
  CHECK(rnn.state.slots[0].data[0] == y.back());
  CHECK(rnn.state.steps[0] == 1 + kSteps);
}

TEST_CASE("a gru without weights keeps sigmoid(z) of its state, the new part being n") {
  // r does not matter: U_n h + b_hn is 0. z = sigmoid(ln 3) = 3/4, n = tanh(-1).
  Zeroed<GruOptions, Gru> gru({}, 1, {7, std::log(3.0), -1});
  const std::vector<double> y = gru.Run();
  double h = 1;
  for (double value : y) {
    h = 0.75 * h + 0.25 * std::tanh(-1.0);
    CHECK(value == doctest::Approx(h).epsilon(1e-14));
  }
}

TEST_CASE("an lstm without weights gates its memory in the order i, f, g, o") {
  // i = 1/2, f = 3/4, g = tanh(2), o = 1/4.
  Zeroed<LstmOptions, Lstm> lstm({}, 1, {0, std::log(3.0), 2, -std::log(3.0)});
  const std::vector<double> y = lstm.Run();
  double c = 1;
  for (double value : y) {
    c = 0.75 * c + 0.5 * std::tanh(2.0);
    CHECK(value == doctest::Approx(0.25 * std::tanh(c)).epsilon(1e-14));
  }
  REQUIRE(lstm.state.slots.size() == 2);
  CHECK(lstm.state.slots[0].data[0] == y.back());
  CHECK(lstm.state.slots[1].data[0] == doctest::Approx(c).epsilon(1e-14));
}

Shape ShapeOf(const ParameterStore& store, const char* name) {
  const ParameterInfo* info = store.Find(name);
  REQUIRE(info != nullptr);
  return info->param.shape;
}

TEST_CASE("parameters have PyTorch's shapes; a projection only where sizes differ") {
  const Zeroed<GruOptions, Gru> plain({}, 5, {});
  CHECK(ShapeOf(plain.store(), "weight_ih") == Shape{15, 5});
  CHECK(ShapeOf(plain.store(), "weight_hh") == Shape{15, 5});
  CHECK(ShapeOf(plain.store(), "bias_ih") == Shape{15});
  CHECK(ShapeOf(plain.store(), "bias_hh") == Shape{15});
  CHECK(plain.store().Find("output.weight") == nullptr);

  LstmOptions options;
  options.d_hidden = 3;
  const Zeroed<LstmOptions, Lstm> projected(options, 5, {});
  CHECK(ShapeOf(projected.store(), "weight_ih") == Shape{12, 5});
  CHECK(ShapeOf(projected.store(), "weight_hh") == Shape{12, 3});
  CHECK(ShapeOf(projected.store(), "output.weight") == Shape{5, 3});
}

TEST_CASE("initial values fill +-1/sqrt(H), not 1/sqrt(D)") {
  GruOptions options;
  options.d_hidden = 100;
  const Zeroed<GruOptions, Gru> gru(options, 4, {});
  for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) {
    CAPTURE(name);
    const Param& param = gru.store().Find(name)->param;
    const double* first = gru.store().initial().data() + param.offset;
    const auto [low, high] = std::minmax_element(first, first + param.shape.size());
    CHECK(*low > -0.1);
    CHECK(*low < -0.09);
    CHECK(*high < 0.1);
    CHECK(*high > 0.09);
  }
}

TEST_CASE("the forget bias moves the forget gate alone") {
  LstmOptions options;
  const Zeroed<LstmOptions, Lstm> plain(options, 2, {});
  options.forget_bias = 1.5;
  const Zeroed<LstmOptions, Lstm> moved(options, 2, {});
  const int64_t first = plain.store().Find("bias_ih")->param.offset;
  for (size_t i = 0; i < plain.store().initial().size(); ++i) {
    const int64_t j = static_cast<int64_t>(i) - first;
    const double expected = plain.store().initial()[i] + (j == 2 || j == 3 ? 1.5 : 0);
    CHECK(moved.store().initial()[i] == expected);
  }
}

}  // namespace
}  // namespace ssm
