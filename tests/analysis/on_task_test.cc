// What layers and models do on data, where it is known in closed form.
#include <doctest/doctest.h>

#include <cmath>

#include "ssm/analysis/drift.h"
#include "ssm/analysis/expansion.h"
#include "ssm/analysis/influence.h"
#include "ssm/analysis/selection.h"
#include "ssm/config/config_file.h"
#include "ssm/tasks/evidence_track.h"
#include "support/leaky_mixer.h"
#include "support/numbers.h"

namespace ssm {
namespace {

/// One layer of `channels` around which there is nothing: y = h, h_t = decay_t h_{t-1} + x_t.
struct Bare {
  explicit Bare(const std::string& mixer, int64_t channels = 1) {
    RegisterMixers(mixers);
    mixers.Add<test::LeakyOptions>("leaky", "a leaky integrator");
    options = std::make_unique<ModelOptions>(mixers);
    ReadConfigText(R"({"d_model": )" + std::to_string(channels) + R"(, "ends": "identity",
                   "final_norm": "none", "layers": 1, "block": {"norm": "none", "residual": false,
                   "activation": "none", "output": "none", "mlp": "none", "mixer": )" +
                       mixer + "}}",
                   "test", {}, *options);
    model = std::make_unique<SequenceModel<double>>(
        *options, ModelIo{.reals = 1, .tokens = {}, .outputs = 1}, 1);
    params = std::make_unique<Parameters<double>>(model->parameters());
  }
  void Set(const char* name, double value) {
    const ParameterInfo* info = model->parameters().Find(std::string("layers.0.mixer.") + name);
    REQUIRE(info != nullptr);
    for (double& v : params->values(*info)) v = value;
    params->Touch();
  }
  IsolatedMixer Mixer() const {
    IsolatedMixer mixer(*options, 0, 1);
    mixer.Take(*params);
    return mixer;
  }

  MixerRegistry mixers;
  std::unique_ptr<ModelOptions> options;
  std::unique_ptr<SequenceModel<double>> model;
  std::unique_ptr<Parameters<double>> params;
};

constexpr int64_t kRows = 3, kSteps = 20;

/// Of `channels` inputs, all scored.
TaskSample Sample() {
  TaskSample sample;
  sample.piece.rows = kRows;
  sample.piece.steps = kSteps;
  return sample;
}
Array<double> Inputs(int64_t channels) {
  Array<double> x(Shape{kRows, kSteps, channels});
  const auto numbers = test::Numbers<double>(x.size(), 7);
  std::copy(numbers.begin(), numbers.end(), x.data());
  return x;
}

TEST_CASE("a fixed decay is read off to the last digit, and what is written is the input") {
  Bare bare(R"({"type": "leaky"})", 2);
  bare.Set("log_rate", std::log(1e-9));
  TaskSample sample = Sample();
  TokenKind first{"first half", std::vector<char>(kRows * kSteps, 0)};
  for (int64_t i = 0; i < kRows * kSteps; ++i)
    first.members[static_cast<size_t>(i)] = i % kSteps < 10;
  sample.kinds.push_back(first);
  const Array<double> x = Inputs(2);
  const auto selection = SelectionOf(bare.Mixer(), sample, x, 1);
  REQUIRE(selection.has_value());
  CHECK(selection->states == 2);
  CHECK(selection->tokens == kRows * (kSteps - 1));
  CHECK(selection->gap == doctest::Approx(1e-9).epsilon(1e-6));
  CHECK(selection->share_one == 1);  // in single precision nothing is forgotten
  CHECK(selection->share_zero == 0);
  CHECK(selection->half_life.median == doctest::Approx(std::log(2) * 1e9).epsilon(1e-6));
  double most = 0;
  for (int64_t b = 0; b < kRows; ++b) {
    for (int64_t i = 2; i < 2 * kSteps; ++i) most = std::max(most, std::abs(x[b * 2 * kSteps + i]));
  }
  CHECK(selection->most_written == doctest::Approx(most).epsilon(1e-14));
  CHECK(selection->response_bound == doctest::Approx(most / 1e-9).epsilon(1e-6));
  REQUIRE(selection->octaves.size() == 1);
  CHECK(selection->octaves[0].written == 1);
  REQUIRE(selection->kinds.size() == 1);
  CHECK(selection->kinds[0].share == doctest::Approx(9.0 / 19));
}

TEST_CASE("a gated decay lies between its rate's and 1, token by token") {
  Bare bare(R"({"type": "leaky", "gated": true})");
  bare.Set("log_rate", 0);
  bare.Set("gate", 2);
  const Array<double> x = Inputs(1);
  const auto selection = SelectionOf(bare.Mixer(), Sample(), x, 1);
  REQUIRE(selection.has_value());
  double least = 1, most = 0;
  for (int64_t b = 0; b < kRows; ++b) {
    for (int64_t t = 1; t < kSteps; ++t) {
      const double decay = std::exp(-1 / (1 + std::exp(-2 * x[b * kSteps + t])));
      least = std::min(least, decay);
      most = std::max(most, decay);
    }
  }
  CHECK(selection->decay.least == doctest::Approx(least).epsilon(1e-12));
  CHECK(selection->reach == doctest::Approx(most).epsilon(1e-12));
  CHECK(std::isnan(selection->uniform_bound));
}

TEST_CASE("a real diagonal layer has a bound, which a constant input attains") {
  Bare bare(R"({"type": "s4d", "d_state": 1, "init": "real", "dt_min": 0.1, "dt_max": 0.2})");
  const IsolatedMixer mixer = bare.Mixer();
  const auto selection = SelectionOf(mixer, Sample(), Inputs(1), 1);
  REQUIRE(selection.has_value());
  CHECK(selection->uniform_bound == doctest::Approx(selection->reach).epsilon(1e-12));
  REQUIRE(selection->uniform_bound < 1);
  const double bound = mixer.Modes(1).front().write / (1 - selection->uniform_bound);
  MixerRun run(mixer, 1, 1);
  for (int i = 0; i < 200; ++i) run.Step({1.0});
  const double reached = std::abs(run.state().slots[0].data[0]);
  CHECK(reached <= bound * (1 + 1e-12));
  CHECK(reached >= 0.99 * bound);
}

TEST_CASE(
    "a selective layer whose steps are clamped has a bound, one whose steps reach 0 has none") {
  const Bare clamped(
      R"({"type": "mamba", "d_state": 3, "dt_limit_min": 0.01, "dt_limit_max": 0.2})", 2);
  const auto selection = SelectionOf(clamped.Mixer(), Sample(), Inputs(2), 1);
  REQUIRE(selection.has_value());
  CHECK(selection->states == 2 * 2 * 3);
  CHECK(selection->uniform_bound == doctest::Approx(std::exp(-0.01)).epsilon(1e-12));  // A = -1
  CHECK(selection->reach <= selection->uniform_bound);
  CHECK(selection->decay.least >= std::exp(-0.2 * 3));
  const Bare free(R"({"type": "mamba", "d_state": 3})", 2);
  CHECK(std::isnan(SelectionOf(free.Mixer(), Sample(), Inputs(2), 1)->uniform_bound));
  const Bare turned(R"({"type": "mamba", "d_state": 2, "eigenvalues": "signed",
                        "dt_limit_min": 0.01, "dt_limit_max": 0.2})",
                    2);
  CHECK(SelectionOf(turned.Mixer(), Sample(), Inputs(2), 1)->uniform_bound ==
        doctest::Approx(2 * std::exp(-0.01) - 1).epsilon(1e-12));
}

TEST_CASE("exponents of a recurrence are its logarithmic decays; a GRU has some, attention none") {
  Bare bare(R"({"type": "leaky"})", 2);
  bare.Set("log_rate", std::log(0.25));
  const auto expansion = ExpansionOf(bare.Mixer(), Sample(), Inputs(2), 1);
  REQUIRE(expansion.has_value());
  CHECK(expansion->exponents.size() == 2);
  for (const double e : expansion->exponents) CHECK(e == doctest::Approx(-0.25).epsilon(1e-12));
  CHECK(expansion->expanding == 0);
  CHECK(expansion->tokens == kRows * (kSteps - 1));

  const Bare gru(R"({"type": "gru"})", 4);
  CHECK_FALSE(SelectionOf(gru.Mixer(), Sample(), Inputs(4), 1).has_value());
  CHECK(ExpansionOf(gru.Mixer(), Sample(), Inputs(4), 1)->exponents.size() == 4);
  const Bare attention(R"({"type": "attention", "heads": 1})", 4);
  CHECK_FALSE(ExpansionOf(attention.Mixer(), Sample(), Inputs(4), 1).has_value());
}

TEST_CASE("the influence of a leaky integrator is its decay to the lag, and a push fades like it") {
  Bare bare(R"({"type": "leaky"})");
  bare.Set("log_rate", std::log(-std::log(0.9)));
  EvidenceTrack task;
  task.steps = 64;
  const Influence influence = InfluenceOf(*bare.model, *bare.params, task, {.sequences = 4});
  REQUIRE(influence.squares.size() == 64);
  for (const size_t k : {0, 1, 5, 63}) {
    CHECK(influence.squares[k] == doctest::Approx(std::pow(0.81, k)).epsilon(1e-10));
  }
  CHECK(influence.half_point == 3);  // 1 + 0.81 + 0.66 is less than half of 5.26, + 0.53 more

  TaskSample sample = DrawSample(task, *bare.model, bare.params->View(), {.sequences = 4});
  const auto distances = Divergence(*bare.model, bare.params->View(), 1, sample.piece, 16);
  REQUIRE(distances.size() == 6);
  for (const StepValue& d : distances) {
    CHECK(d.value == doctest::Approx(std::pow(0.9, d.step)).epsilon(1e-6));
  }
  const auto idle = IdleNorms(*bare.model, bare.params->View(), 1, 100);
  CHECK(idle.back().step == 100);
  CHECK(idle.back().value == 0);  // from s_0 = 0, of inputs 0
}

}  // namespace
}  // namespace ssm
