// S4D's two routes, its states, starts, padding and options.
#include "ssm/mixers/s4d.h"

#include <doctest/doctest.h>

#include <cmath>

#include "s4d_harness.h"
#include "support/error_of.h"
#include "support/numbers.h"

namespace ssm {
namespace {

using test::RelativeError;
using test::S4dCase;
using test::S4dHarness;
using test::S4dResult;

Array<double> Signal(const Shape& shape, uint64_t seed) {
  Array<double> signal(shape);
  const std::vector<double> numbers = test::Numbers<double>(shape.size(), seed);
  std::copy(numbers.begin(), numbers.end(), signal.data());
  return signal;
}

S4dCase Case(int64_t channels, int64_t d_state, S4dInit init, S4dEvaluation evaluation) {
  S4dCase c;
  c.channels = channels;
  c.options.d_state = d_state;
  c.options.init = init;
  c.options.evaluation = evaluation;
  return c;
}

template <class T>
S4dResult Run(const S4dCase& c) {
  return S4dHarness<T>(c).Run(c);
}

/// Tokens [from, to) of [B, T, D].
Array<double> Cut(const Array<double>& x, int64_t from, int64_t to) {
  const int64_t rows = x.shape()[0], steps = x.shape()[1], width = x.shape()[2];
  Array<double> piece(Shape{rows, to - from, width});
  for (int64_t b = 0; b < rows; ++b) {
    std::copy_n(x.data() + (b * steps + from) * width, (to - from) * width,
                piece.data() + b * (to - from) * width);
  }
  return piece;
}

TEST_CASE("golden kernels of S4D-Lin, two pairs, dt 0.1, B = C = 1") {
  const std::vector<double> golden[] = {
      {.387011208635, .350341187798, .300984952682, .244020162256, .184808923753, .128456683586},
      {.385766597874, .349877232113, .301444901652, .245362496017, .186828387066, .130826824190}};
  const Array<double> x(Shape{1, 6, 1});
  for (const DiscretizationRule rule : {DiscretizationRule::kZoh, DiscretizationRule::kBilinear}) {
    S4dCase c = Case(1, 4, S4dInit::kLin, S4dEvaluation::kFft);
    c.options.rule = rule;
    c.parameters = {{"log_dt", {std::log(0.1)}}, {"C", {1, 0, 1, 0}}, {"D", {0}}};
    c.x = &x;
    const S4dResult result = Run<double>(c);
    CHECK(RelativeError(result.kernel.flat(), golden[rule == DiscretizationRule::kBilinear]) <
          1e-10);
  }
}

TEST_CASE("both routes agree at every length") {
  for (const int64_t steps : {1, 2, 7, 33, 63, 64, 65, 127, 1000, 4096, 16384}) {
    CAPTURE(steps);
    const Array<double> x = Signal({1, steps, 3}, 5);
    S4dCase c = Case(3, 64, S4dInit::kLin, S4dEvaluation::kFft);
    c.x = &x;
    const S4dResult fft = Run<double>(c), fft_float = Run<float>(c);
    c.options.evaluation = S4dEvaluation::kScan;
    const S4dResult scan = Run<double>(c), scan_float = Run<float>(c);
    CHECK(RelativeError(fft.y.flat(), scan.y.flat()) < 1e-12);
    CHECK(RelativeError(fft.last.flat(), scan.last.flat()) < 1e-12);
    CHECK(RelativeError(fft_float.y.flat(), scan_float.y.flat()) < 5e-6);
    // Rounded parameters turn a slow, fast-turning mode by up to 1e-5 over its memory.
    CHECK(RelativeError(scan_float.y.flat(), scan.y.flat()) < 2e-5);
  }
}

TEST_CASE("a sequence in pieces is the sequence whole") {
  const int64_t steps = 131;
  const Array<double> x = Signal({2, steps, 5}, 3);
  for (const S4dInit init : {S4dInit::kInv, S4dInit::kReal}) {
    for (const S4dEvaluation evaluation : {S4dEvaluation::kFft, S4dEvaluation::kScan}) {
      S4dCase c = Case(5, 6, init, evaluation);
      c.x = &x;
      const S4dResult whole = Run<double>(c);
      Array<double> state;
      int64_t from = 0;
      for (const int64_t to : {1, 4, 37, 101, 131}) {
        const Array<double> piece = Cut(x, from, to);
        S4dCase part = c;
        part.x = &piece;
        part.h0 = from == 0 ? nullptr : &state;
        S4dResult result = Run<double>(part);
        CHECK(RelativeError(result.y.flat(), Cut(whole.y, from, to).flat()) < 1e-12);
        state = std::move(result.last);
        from = to;
      }
      CHECK(RelativeError(state.flat(), whole.last.flat()) < 1e-12);
    }
  }
}

TEST_CASE("zero-order hold does not notice samples held twice at half the step") {
  const Array<double> x = Signal({1, 50, 2}, 9);
  Array<double> held(Shape{1, 100, 2});
  for (int64_t i = 0; i < held.size(); ++i) held[i] = x[i / 4 * 2 + i % 2];
  for (const S4dEvaluation evaluation : {S4dEvaluation::kFft, S4dEvaluation::kScan}) {
    S4dCase c = Case(2, 8, S4dInit::kLin, evaluation);
    c.parameters["D"] = {0, 0};
    c.x = &x;
    const S4dResult once = Run<double>(c);
    c.x = &held;
    c.dt_scale = 0.5;
    const S4dResult twice = Run<double>(c);
    for (int64_t t = 0; t < 50; ++t) {
      for (int64_t d = 0; d < 2; ++d) {
        CHECK(twice.y[(2 * t + 1) * 2 + d] == doctest::Approx(once.y[t * 2 + d]).epsilon(1e-11));
      }
    }
    CHECK(RelativeError(twice.last.flat(), once.last.flat()) < 1e-11);
  }
}

TEST_CASE("what comes later does not reach back") {
  const int64_t steps = 90, changed = 61;
  const Array<double> x = Signal({1, steps, 3}, 21);
  for (const S4dEvaluation evaluation : {S4dEvaluation::kFft, S4dEvaluation::kScan}) {
    S4dCase c = Case(3, 8, S4dInit::kLegs, evaluation);
    c.x = &x;
    const S4dResult before = Run<double>(c);
    Array<double> other = x.Clone();
    for (int64_t i = changed * 3; i < other.size(); ++i) other[i] += 1;
    c.x = &other;
    const S4dResult after = Run<double>(c);
    const double bound = evaluation == S4dEvaluation::kScan ? 0 : 1e-12;
    CHECK(RelativeError(Cut(after.y, 0, changed).flat(), Cut(before.y, 0, changed).flat()) <=
          bound);
    CHECK(RelativeError(after.y.flat(), before.y.flat()) > 1e-3);
  }
}

TEST_CASE("a start in mid-sequence is a fresh sequence, padding leaves the state") {
  const int64_t steps = 40, start_at = 17, length = 29;
  const Array<double> x = Signal({2, steps, 3}, 2), h0 = Signal({2, 3, 4, 2}, 8);
  IntArray start(Shape{2, steps}), lengths(Shape{2});
  start[start_at] = 1;
  lengths[0] = steps;
  lengths[1] = length;
  S4dCase c = Case(3, 8, S4dInit::kLin, S4dEvaluation::kAuto);
  c.x = &x;
  c.h0 = &h0;
  c.start = &start;
  c.lengths = &lengths;
  const S4dResult result = Run<double>(c);

  const Array<double> tail = Cut(x, start_at, steps), head = Cut(x, 0, length);
  S4dCase fresh = Case(3, 8, S4dInit::kLin, S4dEvaluation::kAuto);
  fresh.x = &tail;
  const S4dResult from_start = Run<double>(fresh);
  CHECK(RelativeError(Cut(result.y, start_at, steps).flat().first(23 * 3),
                      from_start.y.flat().first(23 * 3)) < 1e-12);
  CHECK(RelativeError(result.last.flat().first(24), from_start.last.flat().first(24)) < 1e-12);

  S4dCase shorter = Case(3, 8, S4dInit::kLin, S4dEvaluation::kAuto);
  shorter.x = &head;
  shorter.h0 = &h0;
  const S4dResult unpadded = Run<double>(shorter);
  CHECK(RelativeError(Cut(result.y, 0, length).flat().last(length * 3),
                      unpadded.y.flat().last(length * 3)) < 1e-12);
  CHECK(RelativeError(result.last.flat().last(24), unpadded.last.flat().last(24)) < 1e-12);
}

TEST_CASE("dt of 1 everywhere is no dt, and halves of a step make it whole") {
  const Array<double> x = Signal({2, 45, 3}, 12), h0 = Signal({2, 3, 3, 2}, 4);
  Array<double> dt(Shape{2, 45});
  dt.Fill(1);
  for (const DiscretizationRule rule : {DiscretizationRule::kZoh, DiscretizationRule::kBilinear}) {
    S4dCase c = Case(3, 6, S4dInit::kLin, S4dEvaluation::kAuto);
    c.options.rule = rule;
    c.dt_scale = 2;
    c.x = &x;
    c.h0 = &h0;
    const S4dResult plain = Run<double>(c);
    c.dt = &dt;
    const S4dResult irregular = Run<double>(c);
    CHECK(RelativeError(irregular.y.flat(), plain.y.flat()) < 1e-12);
    CHECK(RelativeError(irregular.last.flat(), plain.last.flat()) < 1e-12);
    dt.Fill(0.5);
    c.dt_scale = 4;
    CHECK(RelativeError(Run<double>(c).y.flat(), plain.y.flat()) < 1e-12);
    dt.Fill(1);
  }
}

TEST_CASE("responses add up and scale") {
  const Array<double> a = Signal({1, 70, 4}, 31), b = Signal({1, 70, 4}, 32);
  Array<double> sum(a.shape());
  for (int64_t i = 0; i < sum.size(); ++i) sum[i] = 3 * a[i] - 2 * b[i];
  for (const S4dEvaluation evaluation : {S4dEvaluation::kFft, S4dEvaluation::kScan}) {
    S4dCase c = Case(4, 10, S4dInit::kInv, evaluation);
    c.x = &a;
    const S4dResult from_a = Run<double>(c);
    c.x = &b;
    const S4dResult from_b = Run<double>(c);
    c.x = &sum;
    const S4dResult from_sum = Run<double>(c);
    std::vector<double> expected(static_cast<size_t>(sum.size()));
    for (size_t i = 0; i < expected.size(); ++i) {
      expected[i] = 3 * from_a.y.flat()[i] - 2 * from_b.y.flat()[i];
    }
    CHECK(RelativeError(from_sum.y.flat(), expected) < 1e-12);
  }
}

TEST_CASE("one real mode is a leaky integrator") {
  // y_t = (1 - K) a y_{t-1} + K u_t, the steady Kalman filter of an AR(1) signal.
  const double gain = 0.2025, decay = 0.7713;
  S4dCase c = Case(1, 1, S4dInit::kReal, S4dEvaluation::kAuto);
  const double dt = 0.01, pole = std::log(decay) / dt;
  const double input = (decay - 1) / pole;
  c.parameters = {{"log_dt", {std::log(dt)}},
                  {"log_A_real", {std::log(-pole)}},
                  {"C", {gain / input}},
                  {"D", {0}}};
  const Array<double> u = Signal({1, 60, 1}, 77);
  c.x = &u;
  const S4dResult result = Run<double>(c);
  double y = 0;
  for (int64_t t = 0; t < 60; ++t) {
    y = decay * y + gain * u[t];
    CHECK(result.y[t] == doctest::Approx(y).epsilon(1e-12));
  }
}

TEST_CASE("a slow mode keeps its decay in single precision") {
  // As a float, exp(-1e-7) is 1 - 1.19e-7: a fifth too fast. Held as A_bar - 1 nothing is lost.
  const int64_t steps = 16384;
  const Array<double> x(Shape{1, steps, 1});
  S4dCase c = Case(1, 1, S4dInit::kReal, S4dEvaluation::kFft);
  c.parameters = {{"log_dt", {0}}, {"log_A_real", {std::log(1e-7)}}, {"C", {1}}, {"D", {0}}};
  c.x = &x;
  const S4dResult result = Run<float>(c);
  const double last = result.kernel[steps - 1] / result.kernel[0];
  CHECK(last == doctest::Approx(std::exp(-1e-7 * (steps - 1))).epsilon(1e-6));
}

TEST_CASE("a kernel for longer sequences serves shorter ones") {
  S4dCase c = Case(3, 32, S4dInit::kLin, S4dEvaluation::kFft);
  S4dHarness<double> harness(c);
  Tape<double> tape(Mode::kInfer, harness.parameters().View());
  std::vector<Var<double>> longer(3), exact(3);
  harness.mixer().Prepare(tape, 300, 1, longer);
  harness.mixer().Prepare(tape, 77, 1, exact);
  const Array<double> x = Signal({1, 77, 3}, 1);
  const State<double> state = MakeState<double>(harness.mixer().Slots(), 1);
  const TapeState<double> watched = BindConstant(tape, state);
  const Clock clock = MakeClock(tape, std::span<const int64_t>(state.steps), 77, nullptr, nullptr);
  Inputs<double> in;
  in.x = tape.Bind(x.shape(), x.data());
  in.clock = &clock;
  const auto run = [&](std::vector<Var<double>>& prepared) {
    const Var<double> y =
        harness.mixer().Forward(tape, in, watched.slots, prepared, Want::kOutput).y;
    return std::span<const double>(tape.value(y), static_cast<size_t>(x.size()));
  };
  CHECK(RelativeError(run(longer), run(exact)) < 1e-13);
}

class FaultList final : public Faults {
 public:
  void Add(std::string_view key, std::string_view sentence) override {
    faults.push_back(std::string(key) + ": " + std::string(sentence));
  }
  std::vector<std::string> faults;
};

TEST_CASE("options that do not fit together are faults") {
  S4dOptions options;
  options.d_state = 7;
  FaultList odd;
  options.Check(odd);
  REQUIRE(odd.faults.size() == 1);
  CHECK(odd.faults[0].find("d_state: 7 is odd") == 0);

  options.init = S4dInit::kReal;
  FaultList none;
  options.Check(none);
  CHECK(none.faults.empty());

  options.dt.least = 0.2;
  FaultList crossed;
  options.Check(crossed);
  REQUIRE(crossed.faults.size() == 1);
  CHECK(crossed.faults[0].find("dt_min: 0.2 is larger than dt_max") == 0);
}

}  // namespace
}  // namespace ssm
