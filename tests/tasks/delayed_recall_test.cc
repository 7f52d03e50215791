#include "ssm/tasks/delayed_recall.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of delayed_recall") {
  const char* configs[] = {
      R"({"type": "delayed_recall"})",
      R"({"type": "delayed_recall", "symbols": 2, "delay": 0, "steps": 1})",
      R"({"type": "delayed_recall", "signal": "noise", "delay": 7, "steps": 90})",
      R"({"type": "delayed_recall", "signal": "smooth", "bandwidth": 0.3, "delay": 200})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const StreamLawResult& law : CheckStreams(*holder->task, Split::kTest, {}, 11, 300)) {
      CAPTURE(law.law);
      CHECK_MESSAGE(law.passed, law.where);
    }
  }
}

TEST_CASE("the target is what was shown before, and is asked once it was") {
  DelayedRecall task;
  task.delay = 5;
  const TaskPiece piece = DrawSequence(task, 3);
  REQUIRE(piece.steps == 128);
  for (int64_t t = 0; t < piece.steps; ++t) {
    CHECK(piece.weights[t] == (t >= 5 ? 1 : 0));
    if (t >= 5) CHECK(piece.targets[t] == static_cast<double>(piece.tokens[t - 5]));
    if (t >= 5) CHECK(piece.lags[t] == 5);
  }
}

TEST_CASE("signals have the moments they should") {
  DelayedRecall task;
  task.signal = DelaySignal::kSmooth;
  task.bandwidth = 0.05;
  task.delay = 4;
  task.steps = 64;
  double square = 0, product = 0, mean = 0;
  constexpr int kSequences = 4000;
  for (int i = 0; i < kSequences; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    const double x = piece.reals[40];
    mean += x / kSequences;
    square += x * x / kSequences;
    product += x * piece.targets[40] / kSequences;
  }
  const double angle = 2 * std::acos(-1) * 0.05 * 4;
  CHECK(std::abs(mean) < 4 / std::sqrt(kSequences));
  CHECK(std::abs(square - 1) < 4 * std::sqrt(2.0 / kSequences));
  CHECK(std::abs(product - std::sin(angle) / angle) < 4 * std::sqrt(2.0 / kSequences));
}

TEST_CASE("half the rate is the same signal with half the delay") {
  DelayedRecall task;
  task.signal = DelaySignal::kSmooth;
  task.bandwidth = 0.1;
  task.delay = 6;
  task.steps = 40;
  const TaskPiece fine = DrawSequence(task, 0),
                  coarse = DrawSequence(task, 0, {.steps = 20, .dt_scale = 2});
  for (int64_t t = 3; t < 20; ++t) {
    CHECK(coarse.reals[t] == doctest::Approx(fine.reals[2 * t]).epsilon(1e-9));
    CHECK(coarse.targets[t] == doctest::Approx(fine.targets[2 * t]).epsilon(1e-9));
  }
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 4}); }).code ==
        ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 6}); }).code ==
        ExitCode::kBadConfig);
  task.signal = DelaySignal::kNoise;
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
}

double Known(const Task& task, const std::string& name) {
  for (const KnownValue& k : task.Known(Split::kTest, {})) {
    if (k.name == name) return k.value;
  }
  return std::nan("");
}

TEST_CASE("what is known of delayed_recall") {
  DelayedRecall task;
  CHECK(Known(task, "delay line") == 1);
  CHECK(Known(task, "newest") == 0.125);
  CHECK(Known(task, "guess") == 0.125);
  CHECK(task.Describe().find("holds 48.00 bits") != std::string::npos);
  task.delay = 0;
  CHECK(Known(task, "newest") == 1);
  task.signal = DelaySignal::kNoise;
  task.delay = 3;
  CHECK(Known(task, "delay line") == 0);
  CHECK(Known(task, "newest") == 1);
  task.signal = DelaySignal::kSmooth;
  task.bandwidth = 1.0 / 12;  // sin(x) / x at a quarter of a turn: 2 / pi
  CHECK(Known(task, "newest") ==
        doctest::Approx(1 - 4 / (std::acos(-1) * std::acos(-1))).epsilon(1e-12));
}

}  // namespace
