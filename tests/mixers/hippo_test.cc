// HiPPO mixers against the projections of ssm/systems, and what theory says of their states.
#include "ssm/mixers/hippo.h"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "ssm/systems/hippo_basis.h"
#include "ssm/systems/hippo_projection.h"
#include "ssm/systems/legs_projection.h"

namespace ssm {
namespace {

/// A mixer of as many channels as memories that reads them in as they are.
class IdentityMixer {
 public:
  explicit IdentityMixer(const HippoMixerOptions& options)
      : channels_(options.memories),
        builder_(store_, 5),
        mixer_(options, {.d_model = options.memories}, builder_),
        values_(store_) {
    const auto encode = values_.values(*store_.Find("encode_x"));
    for (int64_t i = 0; i < channels_ * channels_; ++i) {
      encode[static_cast<size_t>(i)] = i / channels_ == i % channels_ ? 1 : 0;
    }
    values_.Touch();
  }

  /// c [1, M, N] after x [1, T, M] from a fresh state.
  Array<double> StateAfter(const Array<double>& x, double dt_scale = 1) {
    State<double> state = MakeState<double>(mixer_.Slots(), 1);
    Tape<double> tape(Mode::kInfer, values_.View());
    const TapeState<double> before = BindConstant(tape, state);
    const Clock clock =
        MakeClock(tape, std::span<const int64_t>(state.steps), x.shape()[1], nullptr, nullptr);
    const Inputs<double> in{tape.Bind(x.shape(), x.data()), &clock, {}, dt_scale, {}};
    const Prepared<double> prepared = tape.NewVars(mixer_.PreparedCount());
    mixer_.Prepare(tape, x.shape()[1], dt_scale, prepared);
    const Outputs<double> out =
        mixer_.Forward(tape, in, before.slots, prepared, Want::kOutputAndState);
    Read(tape, {out.next, clock.after}, state);
    return state.slots[0].data.Clone();
  }
  std::vector<LinearMode> Modes(double dt_scale = 1) const {
    return mixer_.Modes(values_.View(), dt_scale);
  }

 private:
  int64_t channels_;
  ParameterStore store_;
  ParameterBuilder builder_;
  HippoMixer<double> mixer_;
  Parameters<double> values_;
};

Array<double> Noise(int64_t steps, int64_t channels) {
  Random random(3, RandomStream::kTest, 1);
  Array<double> x(Shape{1, steps, channels});
  for (double& value : x.flat()) value = random.Normal();
  return x;
}

/// c [1, M, N] beside [N, M].
double Distance(const Array<double>& c, const Matrix& expected) {
  double worst = 0, size = 0;
  for (int64_t m = 0; m < expected.cols; ++m) {
    for (int64_t i = 0; i < expected.rows; ++i) {
      worst = std::max(worst, std::abs(c[m * expected.rows + i] - expected(i, m)));
      size = std::max(size, std::abs(expected(i, m)));
    }
  }
  return worst / size;
}

HippoMixerOptions OptionsOf(HippoMeasure measure, StepRule rule, int64_t order) {
  HippoMixerOptions options;
  options.measure = measure;
  options.rule = rule;
  options.d_state = order;
  options.memories = 2;
  options.timescale = 25;
  return options;
}

TEST_CASE("a memory read in as it is is HippoProjection, by either rule and any dt_scale") {
  const Array<double> x = Noise(60, 2);
  for (const HippoMeasure measure :
       {HippoMeasure::kLegT, HippoMeasure::kLmu, HippoMeasure::kLagT, HippoMeasure::kFouT}) {
    for (const StepRule rule : {StepRule::kZoh, StepRule::kBilinear}) {
      for (const int64_t order : {2, 8, 24}) {
        for (const bool learn : {false, true}) {
          HippoMixerOptions options = OptionsOf(measure, rule, order);
          options.learn_dt = learn;
          CAPTURE(NameOf(measure));
          CAPTURE(NameOf(rule));
          CAPTURE(order);
          const double length = measure == HippoMeasure::kFouT ? 2 : 1;
          for (const double scale : {1.0, 0.25, 3.0}) {
            HippoProjection projection({measure, order}, 2, rule, scale * length / 25);
            for (int64_t t = 0; t < 60; ++t) projection.Step({x.data() + 2 * t, 2});
            CHECK(Distance(IdentityMixer(options).StateAfter(x, scale), projection.coefficients()) <
                  1e-12);
          }
        }
      }
    }
  }
}

TEST_CASE("legs read in as it is is LegsProjection by every rule, whatever dt_scale is") {
  const Array<double> x = Noise(60, 2);
  for (const StepRule rule : kStepRules) {
    for (const LegsStart start : {LegsStart::kZero, LegsStart::kFirstSample}) {
      for (const int64_t order : {1, 4, 24}) {
        if (rule == StepRule::kForwardEuler && order > 8) continue;
        HippoMixerOptions options = OptionsOf(HippoMeasure::kLegS, rule, order);
        options.start = start;
        LegsProjection projection(order, 2, rule, start);
        for (int64_t t = 0; t < 60; ++t) projection.Step({x.data() + 2 * t, 2});
        CAPTURE(NameOf(rule));
        CAPTURE(order);
        for (const double scale : {1.0, 4.0}) {
          CHECK(Distance(IdentityMixer(options).StateAfter(x, scale), projection.coefficients()) <
                1e-12);
        }
      }
    }
  }
}

TEST_CASE("an lmu's state is the polynomial that its window held") {
  // As HippoProjection's: a quadratic lies in the span, and is exact but for the held samples.
  HippoMixerOptions options = OptionsOf(HippoMeasure::kLmu, StepRule::kZoh, 6);
  options.memories = 1;
  options.timescale = 1000;
  const auto f = [](double t) { return 1 + t - 0.3 * t * t; };
  Array<double> x(Shape{1, 4000, 1});
  for (int64_t t = 0; t < 4000; ++t) x[t] = f((static_cast<double>(t) + 0.5) / 1000);
  const Array<double> c = IdentityMixer(options).StateAfter(x);
  const std::vector<double> ages = {0, 0.3, 0.9, 1};
  const Matrix basis = HippoBasis({HippoMeasure::kLmu, 6}, ages);
  for (size_t a = 0; a < ages.size(); ++a) {
    double found = 0;
    for (int64_t i = 0; i < 6; ++i) found += c[i] * basis(static_cast<int64_t>(a), i);
    CHECK(std::abs(found - f(4 - ages[a])) < 1e-4);
  }
}

TEST_CASE("legs that begins at its first token keeps a constant as it is") {
  HippoMixerOptions options = OptionsOf(HippoMeasure::kLegS, StepRule::kBilinear, 12);
  options.start = LegsStart::kFirstSample;
  options.memories = 1;
  Array<double> x(Shape{1, 50, 1});
  x.Fill(3);
  const Array<double> c = IdentityMixer(options).StateAfter(x);
  CHECK(c[0] == doctest::Approx(3).epsilon(1e-13));
  for (int64_t i = 1; i < 12; ++i) CHECK(std::abs(c[i]) < 1e-12);
}

TEST_CASE("modes are A's eigenvalues, where there are any to show") {
  for (const HippoMeasure measure : {HippoMeasure::kLegT, HippoMeasure::kLmu}) {
    const HippoMixerOptions options = OptionsOf(measure, StepRule::kZoh, 6);
    double trace = 0;
    for (const LinearMode& mode : IdentityMixer(options).Modes(2)) {
      trace += (mode.pole.imag() == 0 ? 1 : 2) * mode.pole.real();
      CHECK(mode.dt == doctest::Approx(2.0 / 25));
      CHECK(std::abs(mode.multiplier - std::exp(mode.dt * mode.pole)) < 1e-14);
      CHECK(mode.decay == doctest::Approx(-mode.dt * mode.pole.real()).epsilon(1e-12));
      CHECK(mode.write > 0);
    }
    CHECK(trace == doctest::Approx(-36).epsilon(1e-10));  // of -(2i + 1): -N^2
  }
  // Of FouT's 8 states 7 live: sum of -B_i^2 = -(1 + 2 + 2 + 2).
  double trace = 0;
  for (const LinearMode& mode :
       IdentityMixer(OptionsOf(HippoMeasure::kFouT, StepRule::kBilinear, 8)).Modes()) {
    trace += (mode.pole.imag() == 0 ? 1 : 2) * mode.pole.real();
    CHECK(mode.decay > 0);
    CHECK(std::exp(-mode.decay) == doctest::Approx(std::abs(mode.multiplier)).epsilon(1e-12));
  }
  CHECK(trace == doctest::Approx(-7).epsilon(1e-10));
  for (const HippoMeasure measure : {HippoMeasure::kLegS, HippoMeasure::kLagT}) {
    CHECK(IdentityMixer(OptionsOf(measure, StepRule::kBilinear, 4)).Modes().empty());
  }
  CHECK(IdentityMixer(OptionsOf(HippoMeasure::kLegT, StepRule::kZoh, 32)).Modes().empty());
}

/// A cell with every parameter drawn, beside its equations written out.
class DrawnCell {
 public:
  explicit DrawnCell(const HippoMixerOptions& options)
      : options_(options),
        builder_(store_, 5),
        mixer_(options, {.d_model = 3}, builder_),
        values_(store_) {
    Random random(3, RandomStream::kTest, 2);
    for (const ParameterInfo& info : store_.infos()) {
      if (info.name == "log_dt") continue;
      for (double& value : values_.values(info)) value = 0.5 * random.Normal();
    }
    values_.Touch();
  }

  /// y [1, T, 3] of x [1, T, 3].
  std::vector<double> Run(const Array<double>& x) const {
    const State<double> state = MakeState<double>(mixer_.Slots(), 1);
    Tape<double> tape(Mode::kInfer, values_.View());
    const TapeState<double> before = BindConstant(tape, state);
    const Clock clock =
        MakeClock(tape, std::span<const int64_t>(state.steps), x.shape()[1], nullptr, nullptr);
    const Inputs<double> in{tape.Bind(x.shape(), x.data()), &clock, {}, 1, {}};
    const Prepared<double> prepared = tape.NewVars(mixer_.PreparedCount());
    mixer_.Prepare(tape, x.shape()[1], 1, prepared);
    const Outputs<double> out = mixer_.Forward(tape, in, before.slots, prepared, Want::kOutput);
    return {tape.value(out.y), tape.value(out.y) + x.size()};
  }

  std::vector<double> ByHand(const Array<double>& x) const {
    const auto n = static_cast<size_t>(options_.d_state), many = size_t{2};
    const bool lmu = options_.cell == HippoAround::kLmu;
    const HippoPair step = HippoProjection({options_.measure, options_.d_state}, 1, options_.rule,
                                           1 / options_.timescale)
                               .discrete();
    std::vector<double> h(static_cast<size_t>(options_.d_hidden)), c(many * n), y;
    for (int64_t t = 0; t < x.shape()[1]; ++t) {
      const std::vector<double> token(x.data() + 3 * t, x.data() + 3 * (t + 1));
      std::vector<double> u = Times("encode_x", token, many);
      Add(u, Times("encode_h", h, many));
      if (lmu) Add(u, Times("encode_c", c, many));
      std::vector<double> next(c.size());
      for (size_t i = 0; i < c.size(); ++i) {
        const auto row = static_cast<int64_t>(i % n);
        next[i] = step.B(row, 0) * u[i / n];
        for (size_t j = 0; j < n; ++j) {
          next[i] += step.A(row, static_cast<int64_t>(j)) * c[i / n * n + j];
        }
      }
      c = next;
      const size_t width = (lmu ? 1 : 2) * h.size();
      std::vector<double> p = Times("weight_x", token, width);
      Add(p, Times("weight_c", c, width));
      if (lmu) Add(p, Times("weight_h", h, width));
      if (!lmu) Add(p, Times("bias", {1}, width));
      for (size_t j = 0; j < h.size(); ++j) {
        const double g = lmu ? 1 : 1 / (1 + std::exp(-p[h.size() + j]));
        h[j] = (1 - g) * h[j] + g * std::tanh(p[j]);
      }
      std::vector<double> read = Times("output.weight", h, 3);
      Add(read, Times("output.bias", {1}, 3));
      y.insert(y.end(), read.begin(), read.end());
    }
    return y;
  }

 private:
  static void Add(std::vector<double>& to, const std::vector<double>& from) {
    for (size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  }
  /// W x of the named W [out, x].
  std::vector<double> Times(const char* name, const std::vector<double>& x, size_t out) const {
    const auto w = values_.values(*store_.Find(name));
    REQUIRE(w.size() == out * x.size());
    std::vector<double> y(out);
    for (size_t i = 0; i < w.size(); ++i) y[i / x.size()] += w[i] * x[i % x.size()];
    return y;
  }

  HippoMixerOptions options_;
  ParameterStore store_;
  ParameterBuilder builder_;
  HippoMixer<double> mixer_;
  Parameters<double> values_;
};

TEST_CASE("an LMU and a HiPPO-RNN are what their equations say") {
  const Array<double> x = Noise(20, 3);
  for (const HippoAround cell : {HippoAround::kLmu, HippoAround::kHippoRnn}) {
    HippoMixerOptions options = OptionsOf(HippoMeasure::kLmu, StepRule::kZoh, 4);
    options.cell = cell;
    options.d_hidden = 5;
    const DrawnCell drawn(options);
    const std::vector<double> found = drawn.Run(x), expected = drawn.ByHand(x);
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-11));
    }
  }
}

class Keys final : public Faults {
 public:
  void Add(std::string_view key, std::string_view) override { keys.emplace(key); }
  std::set<std::string> keys;
};

TEST_CASE("options that do not go together are refused, each by its key") {
  const auto faults = [](HippoMeasure measure, StepRule rule, int64_t order, LegsStart start) {
    HippoMixerOptions options = OptionsOf(measure, rule, order);
    options.start = start;
    Keys keys;
    options.Check(keys);
    return keys.keys;
  };
  using Set = std::set<std::string>;
  constexpr LegsStart kZero = LegsStart::kZero, kFirst = LegsStart::kFirstSample;
  CHECK(faults(HippoMeasure::kLegS, StepRule::kBilinear, 64, kFirst) == Set{});
  CHECK(faults(HippoMeasure::kLegS, StepRule::kZoh, 64, kZero) == Set{});
  CHECK(faults(HippoMeasure::kLegS, StepRule::kForwardEuler, 9, kZero) == Set{"d_state"});
  CHECK(faults(HippoMeasure::kFouT, StepRule::kZoh, 5, kZero) == Set{"d_state"});
  CHECK(faults(HippoMeasure::kLegT, StepRule::kBackwardEuler, 5, kFirst) == Set{"rule", "start"});
  HippoMixerOptions hidden;
  hidden.d_hidden = 8;
  Keys keys;
  hidden.Check(keys);
  CHECK(keys.keys == Set{"d_hidden"});
}

}  // namespace
}  // namespace ssm
