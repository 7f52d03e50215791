// Sequences walked in chunks learn what whole ones do.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ssm/config/config_file.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/training/trainer.h"
#include "support/error_of.h"
#include "training/tiny_task.h"

namespace ssm {
namespace {

/// A mixer of the library's registry.
struct Subject {
  std::string type;
  std::string options = "{}";
};

void SetMixer(OneOf<MixerOptions>& mixer, const Subject& subject) {
  mixer.Select(subject.type);
  ReadConfigText(subject.options, subject.type, {}, *mixer);
}

/// Of two layers of it, after one step.
std::vector<double> Gradients(const Subject& subject, const Task& task, int64_t chunk, bool carry,
                              double* loss = nullptr) {
  MixerRegistry mixers;
  RegisterMixers(mixers);
  ModelOptions options(mixers);
  options.d_model = 8;
  options.layers.Resize(2);
  for (int64_t i = 0; i < 2; ++i) {
    SetMixer(options.layers.at(i).mixer, subject);
    options.layers.at(i).dropout = 0.1;
  }
  const SequenceModel<double> model(options, {.reals = 1, .tokens = {}, .outputs = 1}, 5);
  TrainOptions train;
  train.batch = 3;
  train.shards = 2;
  train.chunk = chunk;
  train.carry = carry;
  Workers workers(2);
  Trainer<double> trainer(model, task, train, 9, workers);
  const StepReport report = trainer.Step(/*want_norms=*/true);
  if (loss != nullptr) *loss = report.loss;
  CHECK(report.norms[1].gradient > 0);
  const auto flat = trainer.gradients();
  return {flat.begin(), flat.end()};
}

/// The largest difference, over the largest number.
double Apart(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return worst / size;
}

/// Each type with its defaults, but for outputs that start at 0, which say nothing here.
std::vector<Subject> AllMixers() {
  MixerRegistry mixers;
  RegisterMixers(mixers);
  std::vector<Subject> subjects;
  for (const MixerRegistry::Entry& entry : mixers.entries()) {
    Subject& subject = subjects.emplace_back(Subject{entry.type});
    if (entry.type.starts_with("rwkv4")) subject.options = R"({"zero_init": false})";
  }
  return subjects;
}

constexpr const char* kWindow = R"({"cache": {"type": "window", "window": 16}})";

/// One of each kind of state: modes, a gated vector, a ring, a cache that grows.
std::vector<Subject> Subjects() {
  return {{"s4d"}, {"gru"}, {"attention", kWindow}, {"attention"}};
}

/// Caches that fill, grow by groups, choose, and round.
std::vector<Subject> Caches() {
  return {
      {"attention", R"({"cache": {"type": "sink_window", "sinks": 3, "window": 9}})"},
      {"attention", R"({"cache": {"type": "pooled", "window": 9, "every": 5, "pool": "conv"}})"},
      {"attention", R"({"cache": {"type": "topk", "window": 9, "kept": 4}})"},
      {"attention", R"({"cache": {"type": "int8"}})"},
      {"attention", R"({"positions": "learned_relative"})"}};
}

TEST_CASE("gradients over chunks are those of the whole sequence") {
  for (const bool unequal : {false, true}) {
    test::TinyTask task;
    task.steps = 130;
    task.unequal = unequal;
    task.decay = 0.9;
    std::vector<Subject> subjects = Caches();
    for (const Subject& subject : AllMixers()) subjects.push_back(subject);
    for (const Subject& subject : subjects) {
      double whole_loss = 0;
      const std::vector<double> whole = Gradients(subject, task, 0, false, &whole_loss);
      for (const int64_t chunk : {1, 7, 64, 128, 129}) {
        CAPTURE(subject.type);
        CAPTURE(subject.options);
        CAPTURE(chunk);
        CAPTURE(unequal);
        double loss = 0;
        CHECK(Apart(Gradients(subject, task, chunk, false, &loss), whole) < 1e-10);
        CHECK(loss == doctest::Approx(whole_loss).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("a thousand tokens, by one, by seven and by 128") {
  test::TinyTask task;
  task.steps = 1000;
  task.decay = 0.99;
  for (const Subject& subject : Subjects()) {
    double whole_loss = 0;
    const std::vector<double> whole = Gradients(subject, task, 0, false, &whole_loss);
    for (const int64_t chunk : {1, 7, 128}) {
      CAPTURE(subject.type);
      CAPTURE(subject.options);
      CAPTURE(chunk);
      double loss = 0;
      CHECK(Apart(Gradients(subject, task, chunk, false, &loss), whole) < 1e-10);
      CHECK(loss == doctest::Approx(whole_loss).epsilon(1e-12));
    }
  }
}

TEST_CASE("a chunk as long as the sequence changes no bit, carried or not") {
  test::TinyTask task;
  task.steps = 33;
  for (const Subject& subject : Subjects()) {
    CAPTURE(subject.type);
    CAPTURE(subject.options);
    const std::vector<double> whole = Gradients(subject, task, 0, false);
    for (const int64_t chunk : {33, 1000}) {
      CHECK(Gradients(subject, task, chunk, false) == whole);
      CHECK(Gradients(subject, task, chunk, true) == whole);
    }
    CHECK(Gradients(subject, task, 32, true) != whole);
  }
}

TEST_CASE("a carried state keeps the loss and cuts the gradient") {
  test::TinyTask task;
  task.steps = 64;
  task.decay = 0.9;
  for (const Subject& subject : AllMixers()) {
    CAPTURE(subject.type);
    double whole_loss = 0, loss = 0;
    const std::vector<double> whole = Gradients(subject, task, 0, false, &whole_loss);
    const std::vector<double> cut = Gradients(subject, task, 16, true, &loss);
    CHECK(loss == doctest::Approx(whole_loss).epsilon(1e-12));
    CHECK(Apart(cut, whole) > 1e-6);
    CHECK(Apart(cut, whole) < 1);
  }
}

TEST_CASE("cutting gradients needs chunks") {
  TrainOptions options;
  const auto error = test::ErrorOf([&] { ReadConfigText("{\"carry\": true}", "t", {}, options); });
  CHECK(error.code == ExitCode::kBadConfig);
  CHECK(error.Says("/carry: cuts gradients between chunks, and there are none; set train.chunk"));
}

}  // namespace
}  // namespace ssm
