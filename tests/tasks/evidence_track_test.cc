#include "ssm/tasks/evidence_track.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "ssm/tasks/batch.h"
#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT

double Known(const Task& task, const std::string& name, const StreamOptions& options = {}) {
  for (const KnownValue& k : task.Known(Split::kTest, options)) {
    if (k.name == name) return k.value;
  }
  return std::nan("");
}

TEST_CASE("the laws of streams, over the knobs") {
  const char* configs[] = {
      R"({"type": "evidence.track"})",
      R"({"type": "evidence.track", "tau": 8, "noise": 3, "miss": 0.5, "steps": 200})",
      R"({"type": "evidence.track", "tau": 12, "target": "recall", "lag": 6, "steps": 240})",
      R"({"type": "evidence.track", "tau": 5, "target": "recall", "lag": 24, "miss": 0.3,
          "steps": 300})",
      R"({"type": "evidence.track", "tau": 0.5, "steps": 40})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const double dt_scale : {1.0, 2.0}) {
      const StreamOptions options{.dt_scale = dt_scale};
      for (const StreamLawResult& law :
           CheckStreams(*holder->task, Split::kTest, options, 11, 300)) {
        CAPTURE(law.law);
        CAPTURE(dt_scale);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("ceilings of the default and of its recall") {
  EvidenceTrack task;
  CHECK(std::fabs(Known(task, "kalman") - 0.2025) < 5e-5);
  CHECK(Known(task, "static") == 0.5);
  CHECK(Known(task, "predict 0") == 1);
  CHECK(task.Spec().steps == 512);
  // Half the rate is the same process with tau 15.
  EvidenceTrack coarse;
  coarse.tau = 15;
  CHECK(Known(task, "kalman", {.dt_scale = 2}) ==
        doctest::Approx(Known(coarse, "kalman")).epsilon(1e-13));
  task.target = EvidenceTrack::Target::kRecall;
  task.lag = 10;
  // By the recursion, one sample after another.
  const double a = std::exp(-1.0 / 30);
  const double p = FilterVariance(a, 1);
  double error = p;
  double covariance = p;
  for (int j = 0; j < 10; ++j) {
    const double predicted = a * a * p + 1 - a * a;
    covariance *= a;
    error -= covariance * covariance / (predicted + 1);
    covariance *= 1 / (predicted + 1);
  }
  CHECK(Known(task, "fixed-lag smoother") == doctest::Approx(error).epsilon(1e-12));
  CHECK(task.Spec().steps == 522);
}

TEST_CASE("the process and its noise have the moments they should") {
  EvidenceTrack task;
  task.steps = 200'000;
  task.noise = 0.5;
  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(5, Split::kTrain, 0, 1, {});
  TaskPiece piece;
  REQUIRE(reader.Next(task.steps, &piece));
  double square = 0;
  double next = 0;
  double noise = 0;
  for (int64_t t = 0; t + 1 < task.steps; ++t) {
    square += piece.targets[t] * piece.targets[t];
    next += piece.targets[t] * piece.targets[t + 1];
    noise += std::pow(piece.reals[t] - piece.targets[t], 2);
  }
  const double n = static_cast<double>(task.steps - 1);
  CHECK(square / n == doctest::Approx(1).epsilon(0.07));  // 30 steps share one value
  CHECK(next / square == doctest::Approx(std::exp(-1.0 / 30)).epsilon(0.002));
  CHECK(noise / n == doctest::Approx(0.25).epsilon(0.015));
  CHECK(piece.weights[29] == 0);
  CHECK(piece.weights[30] == 1);
}

TEST_CASE("recall asks for the past that was there") {
  EvidenceTrack task;
  task.target = EvidenceTrack::Target::kRecall;
  task.lag = 7;
  task.tau = 3;
  task.steps = 50;
  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(5, Split::kTest, 0, 2, {.detail = Detail::kLatents});
  TaskPiece piece;
  REQUIRE(reader.Next(50, &piece));
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t t = 0; t < 50; ++t) {
      CHECK(piece.weights[row * 50 + t] == (t >= 7 ? 1 : 0));
      CHECK(piece.lags[row * 50 + t] == 7);
      if (t < 7) continue;
      CHECK(piece.targets[row * 50 + t] == piece.latents[2 * (row * 50 + t - 7)]);
    }
  }
}

TEST_CASE("with gaps a lag is the age of the last sample") {
  EvidenceTrack task;
  task.miss = 0.7;
  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(5, Split::kTest, 0, 1, {.detail = Detail::kScoring});
  TaskPiece piece;
  REQUIRE(reader.Next(512, &piece));
  int64_t age = 0;
  int64_t missing = 0;
  for (int64_t t = 0; t < 512; ++t) {
    const bool seen = piece.reals[2 * t + 1] == 1;
    if (!seen) CHECK(piece.reals[2 * t] == 0);
    missing += seen ? 0 : 1;
    age = seen ? 0 : age + 1;
    CHECK(piece.lags[t] == age);
  }
  CHECK(std::abs(missing - 358) < 45);  // 4 standard deviations of 10.4
}

TEST_CASE("impossible knobs are refused with a way out") {
  const auto refused = [](const std::string& fields) {
    return test::ErrorOf([&] { test::ReadTask("{\"type\": \"evidence.track\", " + fields + "}"); });
  };
  for (const char* fields :
       {R"("tau": 0)", R"("tau": -3)", R"("noise": 0)", R"("miss": 1)", R"("miss": -0.1)",
        R"("steps": -1)", R"("lag": 4)", R"("target": "recall")", R"("target": "predict")",
        R"("steps": 30)", R"("steps": 50, "target": "recall", "lag": 60)"}) {
    CAPTURE(fields);
    CHECK(refused(fields).code == ExitCode::kBadConfig);
  }
  CHECK(refused(R"("lag": 4)").Says("recall"));
  CHECK(refused(R"("steps": 30)").Says("more than 30"));
  CHECK(test::ErrorOf([] { test::ReadTask(R"({"type": "evidence.track", "steps": 31})"); }).code ==
        ExitCode::kDone);
}

TEST_CASE("lengths and rates that do not fit are refused when opened") {
  EvidenceTrack task;
  CHECK(test::ErrorOf([&] { task.Open(1, Split::kTest, 0, {.steps = 30}); }).Says("30"));
  task.target = EvidenceTrack::Target::kRecall;
  task.lag = 5;
  const auto thrown = test::ErrorOf([&] { task.Open(1, Split::kTest, 0, {.dt_scale = 2}); });
  CHECK(thrown.code == ExitCode::kBadConfig);
  CHECK(thrown.Says("dt_scale"));
}

TEST_CASE("the description holds this configuration's numbers") {
  const std::string text = EvidenceTrack().Describe();
  for (const char* part : {"30", "512", "0.2025", "0.5000", "0.7713"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("the description tells what short windows cannot get below") {
  EvidenceTrack task;
  const auto says = [&](const char* part) {
    return task.Describe().find(part) != std::string::npos;
  };
  task.tau = 300;
  CHECK(
      says("only the newest steps cannot get below 0.2053 with 4 steps, 0.1243 with 8 steps, "
           "0.07612 with 32 steps."));
  task.windows = {1};
  CHECK(says("cannot get below 0.5000 with 1 step."));
  task.target = EvidenceTrack::Target::kRecall;
  task.lag = 10;
  // The newest sample alone: 1 - a^20 / 2, a = exp(-1/300).
  CHECK(says("cannot get below 0.5322 with 1 step."));
  task.windows.clear();
  CHECK_FALSE(says("newest steps"));
}

TEST_CASE("windows are words about a task and leave its hash alone") {
  const auto hash = [](const std::string& fields) {
    const auto holder = test::ReadTask("{\"type\": \"evidence.track\"" + fields + "}");
    return ConfigHash(*holder);
  };
  CHECK(hash(R"(, "windows": [3])") == hash(""));
  CHECK(hash(R"(, "tau": 31)") != hash(""));
  CHECK(test::ErrorOf([&] { hash(R"(, "windows": [0])"); }).Says("windows"));
}

}  // namespace
