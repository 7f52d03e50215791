#include "ssm/tasks/copy.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "ssm/tasks/scorer.h"
#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of copy") {
  const char* configs[] = {
      R"({"type": "copy"})",
      R"({"type": "copy", "form": "s4", "gap": 30})",
      R"({"type": "copy", "symbols": 2, "tokens": 1, "gap": 1})",
      R"({"type": "copy", "form": "s4", "symbols": 2, "tokens": 1, "gap": 0})",
      R"({"type": "copy", "symbols": 3, "tokens": 2, "gap": 5})",
      R"({"type": "copy", "form": "s4", "symbols": 4, "tokens": 9, "gap": 0})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const int64_t steps : {0, 61}) {
      for (const StreamLawResult& law :
           CheckStreams(*holder->task, Split::kTest, {.steps = steps}, 11, 400)) {
        // Of few lists some are equal by chance, at every length.
        if (law.law == "pure" && std::string(config).find("symbols") != std::string::npos) continue;
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("the tcn form: ten digits, T - 1 blanks, eleven markers; T + 10 blanks, ten digits") {
  Copy task;
  task.gap = 30;  // T
  const TaskSpec spec = task.Spec();
  CHECK(spec.outputs == 10);
  CHECK(spec.tokens[0].vocabulary == 10);
  for (int64_t i = 0; i < 20; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    REQUIRE(piece.steps == 50);
    for (int64_t t = 0; t < 50; ++t) {
      if (t < 10) CHECK(piece.tokens[t] < 8);
      if (t >= 10) CHECK(piece.tokens[t] == (t < 39 ? 8 : 9));
      CHECK(piece.weights[t] == 1);
      CHECK(piece.targets[t] == static_cast<double>(t < 40 ? 8 : piece.tokens[t - 40]));
      CHECK(piece.lags[t] == (t < 40 ? -1 : 40));
      CHECK(piece.strata[t] == (t < 40 ? 0 : (t == 40 ? 1 : (t == 49 ? 3 : 2))));
    }
  }
}

TEST_CASE("the s4 form: markers alone are scored") {
  Copy task;
  task.form = Copy::Form::kSymbols;
  task.symbols = 5;
  task.tokens = 3;
  task.gap = 4;
  CHECK(task.Spec().outputs == 5);
  for (int64_t i = 0; i < 20; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    REQUIRE(piece.steps == 10);
    for (int64_t t = 0; t < 10; ++t) {
      if (t < 3) CHECK(piece.tokens[t] < 5);
      if (t >= 3) CHECK(piece.tokens[t] == (t < 7 ? 5 : 6));
      CHECK(piece.weights[t] == (t < 7 ? 0 : 1));
      if (t < 7) continue;
      CHECK(piece.targets[t] == static_cast<double>(piece.tokens[t - 7]));
      CHECK(piece.lags[t] == 7);
      CHECK(piece.strata[t] == t - 7);
    }
  }
}

double Known(const Task& task, const std::string& name, const std::string& metric) {
  for (const KnownValue& k : task.Known(Split::kTest, {})) {
    if (k.name == name && k.metric == metric) return k.value;
  }
  return std::nan("");
}

TEST_CASE("what is known of copy") {
  Copy task;
  task.gap = 1000;
  // 10 ln 8 / (T + 20), as published for T = 1000.
  CHECK(Known(task, "memory-less", "cross_entropy") == doctest::Approx(0.020387).epsilon(1e-4));
  CHECK(Known(task, "memory-less", "cross_entropy") ==
        doctest::Approx(10 * std::log(8.0) / 1020).epsilon(1e-14));
  CHECK(Known(task, "memory-less", "accuracy") == doctest::Approx(1011.25 / 1020).epsilon(1e-14));
  CHECK(Known(task, "newest", "accuracy") ==
        doctest::Approx((1010 + 1 + 9.0 / 8) / 1020).epsilon(1e-14));
  CHECK(Known(task, "list", "accuracy") == 1);
  task.form = Copy::Form::kSymbols;
  CHECK(Known(task, "memory-less", "cross_entropy") == doctest::Approx(std::log(8.0)));
  CHECK(Known(task, "memory-less", "accuracy") == 0.125);
  task.symbols = 2;
  task.tokens = 4;  // of 4 fair bits the more frequent turns up 2.75 times
  CHECK(Known(task, "unordered", "accuracy") == doctest::Approx(2.75 / 4).epsilon(1e-13));
  CHECK(task.Describe().find("holds 4.000 bits") != std::string::npos);
}

TEST_CASE("what copy refuses") {
  CHECK(test::ErrorOf([] { test::ReadTask(R"({"type": "copy", "gap": 0})"); }).code ==
        ExitCode::kBadConfig);
  Copy task;
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 20}); }).code == ExitCode::kBadConfig);
  CHECK(DrawSequence(task, 0, {.steps = 21}).steps == 21);
  task.form = Copy::Form::kSymbols;
  CHECK(DrawSequence(task, 0, {.steps = 20}).steps == 20);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 19}); }).code == ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
}

}  // namespace
