// What mixers with a matrix as state can be told by hand: published small examples, read-outs that
// find nothing, exponentials out of range, and how much of the arithmetic is in products.
#include "ssm/autograd/ops/matrix_state.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "ssm/autograd/ops/feature_map.h"
#include "ssm/mixers/gla.h"
#include "ssm/mixers/linear_attention.h"
#include "ssm/mixers/mamba2.h"
#include "ssm/mixers/retention.h"

namespace ssm {
namespace {

/// One fresh row of `steps` tokens.
Clock OneRow(Tape<double>& tape, int64_t steps) {
  const int64_t before[] = {0};
  return MakeClock(tape, std::span<const int64_t>(before), steps, nullptr, nullptr);
}

/// One head of two key channels and one value channel, three tokens.
struct Example {
  std::vector<double> q, k, v;
  Tape<double> tape{Mode::kInfer};

  Var<double> Put(const std::vector<double>& numbers, int64_t width) {
    return tape.Copy({1, static_cast<int64_t>(numbers.size()) / width, width}, numbers.data());
  }
  MatrixStateArguments<double> Arguments(int64_t chunk) {
    MatrixStateArguments<double> a;
    a.d_k = 2;
    a.d_v = 1;
    a.chunk = chunk;
    a.q = {Put(q, 2), 0};
    a.k = {Put(k, 2), 0};
    a.v = {Put(v, 1), 0};
    return a;
  }
  void Check(Var<double> y, const std::vector<double>& expected) const {
    for (size_t i = 0; i < expected.size(); ++i) {
      CHECK(std::abs(tape.value(y)[i] - expected[i]) < 1e-10);
    }
  }
};

Example Linear() { return {{1, 0, 0, 1, -1, 2}, {1, -1, 0, .5, 2, 0}, {1, -2, 3}}; }

TEST_CASE("three tokens of linear attention") {
  for (const int64_t chunk : {1, 2, 64}) {
    CAPTURE(chunk);
    Example plain = Linear();
    plain.Check(MatrixState(plain.tape, plain.Arguments(chunk), OneRow(plain.tape, 3)).y,
                {1, -2, -11});
    Example elu = Linear();
    MatrixStateArguments<double> a = elu.Arguments(chunk);
    a.q.from = MapFeatures(elu.tape, FeatureMap::kEluPlusOne, a.q.from, 1, 2);
    a.k.from = MapFeatures(elu.tape, FeatureMap::kEluPlusOne, a.k.from, 1, 2);
    a.ones = true;
    const Clock clock = OneRow(elu.tape, 3);
    const Var<double> read = MatrixState(elu.tape, a, clock).y;
    elu.Check(NormalisedRead(elu.tape, read, 1, 1e-6, clock),
              {.999999771056, -.781536338826, .408342207643});
  }
}

TEST_CASE("three tokens of gated linear attention") {
  for (const int64_t chunk : {1, 2, 64}) {
    CAPTURE(chunk);
    Example gla{{1, 1, 0, 1, 1, -1}, {1, 0, 1, 1, 0, 1}, {1, 2, -1}};
    MatrixStateArguments<double> a = gla.Arguments(chunk);
    a.decay = MatrixDecay::kKey;
    std::vector<double> decays = {.5, .9, .5, .9, .1, 1};
    for (double& decay : decays) decay = std::log(decay);
    a.log_decay = {gla.Put(decays, 2), 0};
    gla.Check(MatrixState(gla.tape, a, OneRow(gla.tape, 3)).y, {1, 2, -.75});
  }
}

TEST_CASE("reads that find nothing are 0 and counted, those of padding are not") {
  // Two heads of one value channel: (sum, weight).
  const std::vector<double> reads = {3, 2, 5, 0, 7, -1, 4, 0.25, 9, 0.5, 6, 0.1};
  const int64_t before[] = {3};
  Tape<double> tape(Mode::kInfer);
  const Var<double> read = tape.Copy({1, 3, 4}, reads.data());
  const Clock clock = MakeClock(tape, std::span<const int64_t>(before), 3, nullptr, nullptr);
  const Var<double> y = NormalisedRead(tape, read, 2, 0.25, clock);
  const double expected[] = {3 / 2.25, 0, 0, 0, 9 / 0.75, 0};
  for (int64_t i = 0; i < 6; ++i) CHECK(tape.value(y)[i] == doctest::Approx(expected[i]));
  REQUIRE(tape.counts().size() == 2);
  CHECK(tape.counts()[0].name == std::string_view("nothing_read"));
  CHECK(tape.counts()[0].n == 4);
  CHECK(tape.counts()[1].name == std::string_view("reads"));
  CHECK(tape.counts()[1].n == 6);
  IntArray lengths(Shape{1});
  lengths[0] = 2;
  const Clock padded = MakeClock(tape, std::span<const int64_t>(before), 3, nullptr, &lengths);
  NormalisedRead(tape, read, 2, 0.25, padded);
  CHECK(tape.counts()[0].n == 4 + 3);
  CHECK(tape.counts()[1].n == 6 + 4);
}

TEST_CASE("exp features read what a direct sum of exponentials reads, out of range too") {
  // Shifted by 1000 every exponential overflows; a key channel's shift cancels in no pair, so the
  // direct sum is taken in logarithms.
  constexpr int64_t kSteps = 5, kKeys = 2;
  const std::vector<double> qk = {3,   1000, 990, -4,  5, 995, 1001, 2,   -700, 1,
                                  980, 7,    2,   998, 3, 0,   1,    999, -5,   4};
  const std::vector<double> v = {1, -2, 3, 5, -1};
  Tape<double> tape(Mode::kInfer);
  const Clock clock = OneRow(tape, kSteps);
  const Var<double> x = tape.Copy({1, kSteps, 2 * kKeys}, qk.data());
  const ExpAnchorOutputs<double> anchors = ExpAnchors(tape, x, 1, kKeys, {}, clock);
  const Var<double> features = ExpFeatures(tape, x, 1, kKeys, anchors.m, anchors.anchor);
  MatrixStateArguments<double> a;
  a.decay = MatrixDecay::kKey;
  a.d_k = kKeys;
  a.d_v = 1;
  a.chunk = 3;
  a.ones = true;
  a.q = {features, 0};
  a.k = {features, kKeys};
  a.v = {tape.Copy({1, kSteps, 1}, v.data()), 0};
  a.log_decay = {anchors.loss, 0};
  const Var<double> read = MatrixState(tape, a, clock).y;
  const Var<double> y = NormalisedRead(tape, read, 1, 0, clock);
  for (int64_t t = 0; t < kSteps; ++t) {
    double largest = -1e300, sum = 0, weight = 0;
    const auto exponent = [&](int64_t j, int64_t d) {
      return qk[static_cast<size_t>(t * 4 + d)] + qk[static_cast<size_t>(j * 4 + kKeys + d)];
    };
    for (int64_t j = 0; j <= t; ++j) {
      for (int64_t d = 0; d < kKeys; ++d) largest = std::max(largest, exponent(j, d));
    }
    for (int64_t j = 0; j <= t; ++j) {
      for (int64_t d = 0; d < kKeys; ++d) {
        const double w = std::exp(exponent(j, d) - largest);
        sum += w * v[static_cast<size_t>(j)];
        weight += w;
      }
    }
    CHECK(tape.value(y)[t] == doctest::Approx(sum / weight).epsilon(1e-12));
  }
}

TEST_CASE("a float decay of e^-60 a token leaves the twin's numbers") {
  // Products of 64 such decays leave every range; a quotient of two of them would be NaN.
  for (const MatrixDecay decay : {MatrixDecay::kHead, MatrixDecay::kKey}) {
    constexpr int64_t kSteps = 64;
    const int64_t before[] = {0};
    Tape<float> tape(Mode::kTrain);
    Array<float> x(Shape{1, kSteps, 3}), g(Shape{1, kSteps, 1});
    x.Fill(1);
    g.Fill(-60);
    MatrixStateArguments<float> a;
    a.decay = decay;
    a.d_k = a.d_v = 1;
    a.q = {tape.Watch(x.shape(), x.data()), 0};
    a.k = {a.q.from, 1};
    a.v = {a.q.from, 2};
    a.log_decay = {tape.Watch(g.shape(), g.data()), 0};
    const MatrixStateOutputs<float> out = MatrixState(
        tape, a, MakeClock(tape, std::span<const int64_t>(before), kSteps, nullptr, nullptr));
    for (int64_t t = 0; t < kSteps; ++t) CHECK(tape.value(out.y)[t] == 1);
    Array<float> ones(Shape{1, kSteps, 1});
    ones.Fill(1);
    tape.Seed(out.y, ones.data());
    tape.Backward();
    for (int64_t t = 0; t < kSteps; ++t) {
      CHECK(std::abs(tape.grad(a.log_decay.from)[t]) < 1e-20f);
      for (int64_t i = 0; i < 3; ++i) CHECK(tape.grad(a.q.from)[3 * t + i] == 1);
    }
  }
}

/// FLOPs of a mixer's matrix state among all others, in plan mode: what a dry run adds up.
template <class Options, template <Scalar> class Mixer>
double ProductShare(const Options& options, int64_t d_model, int64_t steps) {
  ParameterStore store(InitialValues::kLayout);
  ParameterBuilder builder(store, 3);
  const Mixer<float> mixer(options, {.d_model = d_model}, builder);
  Tape<float> tape(Mode::kPlan);
  const std::vector<int64_t> before(2, 0);
  const Clock clock = MakeClock(tape, std::span<const int64_t>(before), steps, nullptr, nullptr);
  const Inputs<float> in{tape.Bind({2, steps, d_model}, nullptr), &clock, {}, 1, {}};
  mixer.Forward(tape, in, {}, {}, Want::kOutput);
  return tape.product_flops() / tape.flops();
}

TEST_CASE("at least seven tenths of a layer's arithmetic are matrix products") {
  CHECK(ProductShare<LinearAttentionOptions, LinearAttention>({}, 64, 512) > 0.7);
  LinearAttentionOptions exp;
  exp.features = LinearFeatures::kExp;
  CHECK(ProductShare<LinearAttentionOptions, LinearAttention>(exp, 64, 512) > 0.7);
  CHECK(ProductShare<RetentionOptions, Retention>({}, 64, 512) > 0.7);
  CHECK(ProductShare<GlaOptions, Gla>({}, 64, 512) > 0.7);
  CHECK(ProductShare<Mamba2Options, Mamba2>({}, 64, 512) > 0.7);
}

struct Sentences final : Faults {
  std::string all;
  void Add(std::string_view key, std::string_view sentence) override {
    all += std::string(key) + ": " + std::string(sentence);
  }
};

TEST_CASE("heads of Mamba-2 have 64 channels where that fits, else the most below that do") {
  Mamba2Options options;
  const std::pair<int64_t, int64_t> fits[] = {{1, 2},   {5, 10},  {16, 32}, {32, 64},
                                              {48, 48}, {37, 37}, {64, 64}, {96, 64}};
  for (const auto& [d_model, channels] : fits) {
    CAPTURE(d_model);
    CHECK(options.HeadDim({.d_model = d_model}) == channels);
    Sentences faults;
    options.CheckIn({.d_model = d_model}, faults);
    CHECK(faults.all.empty());
  }
  options.head_dim = 64;
  Sentences faults;
  options.CheckIn({.d_model = 5}, faults);
  CHECK(faults.all ==
        "head_dim: expand d_model, 2 x 5 = 10, inner channels are no whole number of heads of 64: "
        "use 1, 2, 5 or 10");
}

TEST_CASE("at least seven tenths of a matrix state's own arithmetic are matrix products") {
  for (const MatrixDecay decay : {MatrixDecay::kNone, MatrixDecay::kHead, MatrixDecay::kKey}) {
    for (const int64_t keys : {16, 32, 64}) {
      CAPTURE(keys);
      kernels::MatrixStateShape shape;
      shape.decay = decay;
      shape.rows = 2;
      shape.steps = 256;
      shape.heads = shape.groups = 4;
      shape.d_k = shape.d_v = keys;
      const kernels::MatrixStateFlops flops = kernels::CountFlops(shape);
      CHECK(flops.products > 0.7 * flops.total);
    }
  }
}

}  // namespace
}  // namespace ssm
