#include "ssm/tasks/flip_flop.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of flip_flop") {
  const char* configs[] = {
      R"({"type": "flip_flop"})",
      R"({"type": "flip_flop", "steps": 3, "window": 1})",
      R"({"type": "flip_flop", "steps": 30, "symbols": 5, "ignore": 0.5, "write": 0.3})",
      R"({"type": "flip_flop", "steps": 31, "ignore": 0.9, "write": 0.1, "window": 7})",
      R"({"type": "flip_flop", "steps": 40, "ignore": 0, "write": 0.5, "window": 2})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const int64_t steps : {0, 75}) {
      for (const StreamLawResult& law :
           CheckStreams(*holder->task, Split::kTest, {.steps = steps}, 11, 600)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("a read gives what was written last, and is told so") {
  FlipFlop task;
  task.symbols = 3;
  task.ignore = 0.4;
  task.write = 0.3;
  double reads = 0, ignores = 0, all = 0;
  for (int64_t i = 0; i < 300; ++i) {
    for (const int64_t steps : {40, 41}) {
      const TaskPiece piece = DrawSequence(task, i, {.steps = steps});
      REQUIRE(piece.steps == steps);
      const int64_t last = (steps - 1) / 2 * 2;
      CHECK(piece.tokens[0] == 3);
      CHECK(piece.tokens[last] == 4);
      CHECK(piece.latents[0] == 3);  // nothing stored
      int64_t stored = 3, shown = -1;
      for (int64_t t = 0; t < steps; t += 2) {
        const int64_t instruction = piece.tokens[t];
        const bool read = instruction == 4;
        CHECK(instruction >= 3);
        CHECK(instruction <= 5);
        CHECK(piece.weights[t] == (read ? 1 : 0));
        CHECK(piece.lags[t] == (read ? t - shown : -1));
        if (read) CHECK(piece.targets[t] == static_cast<double>(stored));
        if (t > 0 && t < last) {
          ++all;
          reads += read ? 1 : 0;
          ignores += instruction == 5 ? 1 : 0;
        }
        if (t + 1 == steps) break;
        CHECK(piece.weights[t + 1] == 0);
        CHECK(piece.tokens[t + 1] < 3);
        if (instruction == 3) stored = piece.tokens[t + 1];
        if (read) CHECK(piece.tokens[t + 1] == stored);
        if (instruction != 5) shown = t + 1;
        CHECK(piece.latents[t + 1] == static_cast<double>(stored));
      }
    }
  }
  CHECK(std::abs(reads / all - 0.3) < 5 * std::sqrt(0.21 / all));
  CHECK(std::abs(ignores / all - 0.4) < 5 * std::sqrt(0.24 / all));
}

TEST_CASE("how far back reads ask, against all sequences of instructions") {
  // 5 instructions: the first writes, the last reads, three between.
  const FlipFlopLaw law{2, 0.5, 0.2, 10, 4};
  const double p[] = {law.write, law.read(), law.ignore};
  for (int64_t window = 0; window <= 10; ++window) {
    double within = 0, reads = 0;
    for (int all = 0; all < 27; ++all) {
      const int kinds[] = {0, all % 3, all / 3 % 3, all / 9, 1};
      const double probability = p[kinds[1]] * p[kinds[2]] * p[kinds[3]];
      int shown = 0;
      for (int i = 1; i < 5; ++i) {
        if (kinds[i] == 1) {
          reads += probability;
          if (2 * (i - shown) - 1 <= window) within += probability;
        }
        if (kinds[i] != 2) shown = i;
      }
    }
    CAPTURE(window);
    CHECK(ReadsWithin(law, window) == doctest::Approx(within / reads).epsilon(1e-13));
  }
}

TEST_CASE("what is known of flip_flop") {
  FlipFlop task;
  task.steps = 1'000'001;
  const auto known = task.Known(Split::kTest, {});
  REQUIRE(known.size() == 4);
  CHECK(known[0].value == 1);
  // Far from the start: one of the newest 8 instructions was no ignore.
  CHECK(known[1].value == doctest::Approx(1 - std::pow(0.8, 8) / 2).epsilon(1e-4));
  CHECK(known[2].value == doctest::Approx(0.2 + 0.8 / 2).epsilon(1e-4));
  CHECK(known[3].value == 0.5);
  task.steps = 3;
  CHECK(task.Known(Split::kTest, {})[2].value == 1);
}

TEST_CASE("what flip_flop refuses") {
  CHECK(test::ErrorOf([] {
          test::ReadTask(R"({"type": "flip_flop", "ignore": 0.9, "write": 0.2})");
        }).code == ExitCode::kBadConfig);
  FlipFlop task;
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 2}); }).code == ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
}

}  // namespace
