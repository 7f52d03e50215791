#include "ssm/tasks/mqar.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of mqar") {
  const char* configs[] = {
      R"({"type": "mqar"})",
      R"({"type": "mqar", "vocabulary": 4, "pairs": 1, "steps": 4, "window": 1, "filler": "random"})",
      R"({"type": "mqar", "vocabulary": 9, "pairs": 3, "steps": 13, "filler": "random"})",
      R"({"type": "mqar", "vocabulary": 40, "pairs": 6, "steps": 60, "power": 1, "window": 9})",
      R"({"type": "mqar", "vocabulary": 60, "pairs": 16, "steps": 64, "window": 14})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const int64_t steps : {0, 75}) {
      for (const StreamLawResult& law :
           CheckStreams(*holder->task, Split::kTest, {.steps = steps}, 11, 400)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("each key is asked for once, and its value is what followed it") {
  Mqar task;
  task.vocabulary = 21;  // keys 1 to 9, values 10 to 20
  task.pairs = 4;
  task.steps = 31;
  CHECK(task.Spec().outputs == 11);
  for (const auto filler : {Mqar::Filler::kBlank, Mqar::Filler::kRandom}) {
    task.filler = filler;
    std::set<int64_t> filled;
    for (int64_t i = 0; i < 60; ++i) {
      const TaskPiece piece = DrawSequence(task, i);
      REQUIRE(piece.steps == 31);
      std::map<int64_t, std::pair<int64_t, int64_t>> pairs;  // value and its step, by key
      std::set<int64_t> values;
      for (int64_t t = 0; t < 8; t += 2) {
        CHECK(piece.tokens[t] >= 1);
        CHECK(piece.tokens[t] <= 9);
        CHECK(piece.tokens[t + 1] >= 10);
        CHECK(piece.tokens[t + 1] <= 20);
        pairs[piece.tokens[t]] = {piece.tokens[t + 1], t + 1};
        values.insert(piece.tokens[t + 1]);
        CHECK(piece.weights[t] + piece.weights[t + 1] == 0);
      }
      CHECK(pairs.size() == 4);
      CHECK(values.size() == 4);
      std::set<int64_t> asked;
      for (int64_t t = 8; t < 31; ++t) {
        if (piece.weights[t] == 0) {
          CHECK(piece.lags[t] == -1);
          filled.insert(piece.tokens[t]);
          continue;
        }
        CHECK(t % 2 == 0);
        REQUIRE(pairs.count(piece.tokens[t]) == 1);
        const auto [value, step] = pairs[piece.tokens[t]];
        CHECK(piece.targets[t] == static_cast<double>(value - 10));
        CHECK(piece.lags[t] == t - step);
        asked.insert(piece.tokens[t]);
      }
      CHECK(asked.size() == 4);
    }
    CHECK(filled.size() == (filler == Mqar::Filler::kBlank ? 1 : 21));
    CHECK(*filled.begin() == 0);
  }
}

TEST_CASE("how far back queries ask, over the published cells of sliding windows") {
  // Simulated from the published generator, 2,000 sequences a cell.
  const std::pair<int64_t, double> published[] = {{16, .145},  {32, .312},  {64, .514}, {128, .655},
                                                  {256, .797}, {512, .936}, {1024, 1.0}};
  const std::pair<int64_t, int64_t> cells[] = {{64, 4},   {64, 8},    {64, 16},   {128, 32},
                                               {256, 64}, {512, 128}, {1024, 256}};
  for (const auto& [window, share] : published) {
    double mean = 0;
    for (const auto& [steps, pairs] : cells) {
      mean += QueriesWithin({8192, pairs, steps, 0.01, false, window}, window) / 7;
    }
    CAPTURE(window);
    CHECK(std::abs(mean - share) < 0.005);
  }
}

TEST_CASE("what is known of mqar") {
  Mqar task;
  const auto known = task.Known(Split::kTest, {});
  REQUIRE(known.size() == 4);
  CHECK(known[0].value == 1);
  CHECK(known[1].name == "window 32");
  CHECK(known[1].value > 0.5);
  double harmonic = 0;
  for (int j = 1; j <= 8; ++j) harmonic += 1.0 / j;
  CHECK(known[2].value == doctest::Approx(harmonic / 8).epsilon(1e-14));
  CHECK(known[3].value == 1.0 / 128);
  // One pair, gap 1 or 2: lags 1 and 3, with odds 1 to 2^-0.99.
  const MqarLaw two{16, 1, 6, 0.01, false, 1};
  CHECK(QueriesWithin(two, 0) == 0);
  CHECK(QueriesWithin(two, 1) == doctest::Approx(1 / (1 + std::pow(2.0, -0.99))).epsilon(1e-9));
  CHECK(QueriesWithin(two, 2) == QueriesWithin(two, 1));
  CHECK(QueriesWithin(two, 3) == 1);
  // Too long to compute: measured, not told.
  task.vocabulary = 4096;
  task.pairs = 1024;
  task.steps = 1'000'000;
  CHECK(task.Known(Split::kTest, {}).size() == 3);
}

TEST_CASE("what mqar refuses") {
  const auto code = [](const char* config) {
    return test::ErrorOf([&] { test::ReadTask(config); }).code;
  };
  CHECK(code(R"({"type": "mqar", "pairs": 17, "steps": 64})") == ExitCode::kBadConfig);
  CHECK(code(R"({"type": "mqar", "pairs": 8, "vocabulary": 17})") == ExitCode::kBadConfig);
  CHECK(test::ReadTask(R"({"type": "mqar", "pairs": 8, "vocabulary": 18})") != nullptr);
  Mqar task;
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 31}); }).code == ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { task.Known(Split::kTest, {.steps = 31}); }).code ==
        ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
  CHECK(DrawSequence(task, 0, {.steps = 32}).steps == 32);
}

}  // namespace
