#include "ssm/analysis/state_probe.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ssm/analysis/state_features.h"
#include "ssm/config/config_file.h"
#include "ssm/tasks/evidence_track.h"
#include "ssm/tasks/ou_filter.h"
#include "ssm/tasks/relocate_tokens.h"
#include "support/error_of.h"
#include "support/leaky_mixer.h"

namespace ssm {
namespace {

/// evidence.track seen by one leaky integrator of `decay`, whose state is the answer.
StateProbe ProbeLeaky(const EvidenceTrack& task, double decay, int64_t examples, int threads) {
  MixerRegistry mixers;
  mixers.Add<test::LeakyOptions>("leaky", "a leaky integrator");
  ModelOptions options(mixers);
  ReadConfigText(R"({"d_model": 1, "ends": "identity", "final_norm": "none", "layers": 1, "block": {
                     "norm": "none", "residual": false, "activation": "none", "output": "none",
                     "mlp": "none", "mixer": {"type": "leaky"}}})",
                 "test", {}, options);
  const TaskSpec spec = task.Spec();
  const SequenceModel<double> model(
      options, {.reals = std::ssize(spec.reals), .tokens = {}, .outputs = 1}, 1);
  Parameters<double> params(model.parameters());
  params.values(*model.parameters().Find("layers.0.mixer.log_rate"))[0] =
      std::log(-std::log(decay));
  Workers workers(threads);
  const EvalSubject<double> subject{
      .model = &model, .params = params.View(), .task = &task, .seed = 3, .workers = &workers};
  return ProbeState(subject, {.examples = examples});
}

TEST_CASE("the filter's own decay keeps its mean, whatever is answered; no memory keeps a part") {
  EvidenceTrack task;
  task.steps = 128;
  const double decay = std::exp(-1.0 / 30), variance = FilterVariance(decay, 1);
  const StateProbe kept = ProbeLeaky(task, decay * (1 - variance), 400, 2);
  CHECK(kept.sequences == 400);
  CHECK(kept.samples == 400 * 16);
  CHECK(kept.state_numbers == 1);
  CHECK(kept.axis == "step");
  REQUIRE(kept.latents.size() == 2);
  const ProbedLatent& mean = kept.latents[1];
  CHECK(mean.name == "filtered mean");
  CHECK(mean.metric == "nmse");
  CHECK(mean.groups[0].label == "all");
  CHECK(mean.groups[0].samples == 100 * 16);
  CHECK(mean.groups[0].read.value < 1e-5);  // the ridge alone: 1e-6
  // The answer is the sum h, the mean variance h: off by its own size times (1 / variance - 1).
  CHECK(mean.groups[0].answered.value ==
        doctest::Approx(std::pow(1 / variance - 1, 2)).epsilon(0.01));
  // z itself is known as well as the filter knows it.
  CHECK(kept.latents[0].groups[0].read.value == doctest::Approx(variance).epsilon(0.15));

  const StateProbe lost = ProbeLeaky(task, 1e-9, 400, 2);
  const double correlation =
      1 / (2 * (1 - variance));  // squared, of the mean and the newest sample
  CHECK(lost.latents[1].groups[0].read.value == doctest::Approx(1 - correlation).epsilon(0.1));
}

TEST_CASE("a probe has the same bits for any number of threads") {
  EvidenceTrack task;
  task.steps = 64;
  const StateProbe one = ProbeLeaky(task, 0.5, 40, 1), three = ProbeLeaky(task, 0.5, 40, 3);
  CHECK(one.latents[0].groups[0].read.value == three.latents[0].groups[0].read.value);
}

TEST_CASE("too few sequences are refused") {
  EvidenceTrack task;
  task.steps = 64;
  const auto error = test::ErrorOf([&] { ProbeLeaky(task, 0.5, 7, 1); });
  CHECK(error.code == ExitCode::kBadConfig);
  CHECK(error.Says("7 sequences"));
}

TEST_CASE("features of rings run from the newest entry back") {
  const std::vector<SlotSpec> slots = {
      {.name = "ring", .kind = SlotKind::kRing, .entry = Shape{2}, .entries = 3},
      {.name = "counts", .kind = SlotKind::kFixed, .entry = Shape{4}, .differentiable = false},
      {.name = "fixed", .kind = SlotKind::kFixed, .entry = Shape{1}}};
  State<double> state = MakeState<double>(slots, 2);
  CHECK(FeatureCount(slots) == 7);
  state.steps = {4, 1};
  for (int64_t i = 0; i < 12; ++i) state.slots[0].data[i] = static_cast<double>(i);
  state.slots[2].data[0] = 0.5;
  std::vector<double> features;
  AppendFeatures(state, 0, features);  // position 3 lies at 0, 2 at 2, 1 at 1
  CHECK(features == std::vector<double>{0, 1, 4, 5, 2, 3, 0.5});
  features.clear();
  AppendFeatures(state, 1, features);
  CHECK(features == std::vector<double>{6, 7, 0, 0, 0, 0, 0});
}

}  // namespace
}  // namespace ssm
