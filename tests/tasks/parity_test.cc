#include "ssm/tasks/parity.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of parity") {
  const char* configs[] = {
      R"({"type": "parity"})",
      R"({"type": "parity", "steps": 1, "min_steps": 1, "window": 1})",
      R"({"type": "parity", "steps": 30, "every": true})",
      R"({"type": "parity", "steps": 30, "test_min_steps": 4, "window": 10})",
      R"({"type": "parity", "steps": 30, "test_min_steps": 1, "every": true, "window": 10})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest}) {
      // Lengths from 1 on give sequences that are equal by chance.
      if (split != Split::kTest && std::string(config).find("\"steps\": 1,") != std::string::npos)
        continue;
      for (const StreamLawResult& law : CheckStreams(*holder->task, split, {}, 11, 400)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("the target is the parity of all bits so far") {
  Parity task;
  for (const bool every : {false, true}) {
    task.every = every;
    const TaskPiece piece = DrawSequence(task, 3, {.steps = 200});
    REQUIRE(piece.steps == 200);
    int64_t ones = 0;
    for (int64_t t = 0; t < 200; ++t) {
      ones += piece.tokens[t];
      const bool asked = every || t == 199;
      CHECK(piece.weights[t] == (asked ? 1 : 0));
      CHECK(piece.latents[t] == static_cast<double>(ones % 2));
      if (asked) CHECK(piece.targets[t] == static_cast<double>(ones % 2));
    }
  }
}

TEST_CASE("lengths: a range in training, what is asked for in tests, or a range there too") {
  Parity task;
  task.steps = 6;
  const auto lengths = [&](Split split, const StreamOptions& options) {
    std::set<int64_t> met;
    for (int64_t i = 0; i < 200; ++i) met.insert(DrawSequence(task, i, options, split).steps);
    return met;
  };
  CHECK(lengths(Split::kTrain, {}) == std::set<int64_t>{3, 4, 5, 6});
  CHECK(lengths(Split::kValidation, {}) == std::set<int64_t>{3, 4, 5, 6});
  CHECK(lengths(Split::kTest, {}) == std::set<int64_t>{6});
  CHECK(lengths(Split::kTest, {.steps = 9}) == std::set<int64_t>{9});
  task.test_min_steps = 8;
  CHECK(lengths(Split::kTest, {.steps = 10}) == std::set<int64_t>{8, 9, 10});
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0); }).code == ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { task.Known(Split::kTest, {}); }).code == ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 2}, Split::kTrain); }).code ==
        ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 10, .dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
}

TEST_CASE("what is known of parity") {
  // Lengths 3 to 40: six of 38 lie in a window of 8.
  CHECK(WindowParityAccuracy({3, 40, false, 8}, 8) == doctest::Approx(0.5 + 3.0 / 38));
  CHECK(WindowParityAccuracy({3, 40, false, 8}, 1) == 0.5);
  CHECK(WindowParityAccuracy({1, 2, false, 8}, 1) == 0.75);
  CHECK(WindowParityAccuracy({5, 5, false, 8}, 5) == 1);
  CHECK(WindowParityAccuracy({5, 5, false, 8}, 4) == 0.5);
  // Lengths 2 and 4, asked at every step: of 6 steps, 2 + 3 lie in a window of 3.
  CHECK(WindowParityAccuracy({2, 2, true, 8}, 1) == 0.75);
  CHECK(WindowParityAccuracy({2, 4, true, 8}, 3) == doctest::Approx(0.5 + 8.0 / 9 / 2));
  Parity task;
  CHECK(task.Known(Split::kTrain, {})[1].value == doctest::Approx(0.5 + 3.0 / 38));
  CHECK(task.Known(Split::kTest, {})[1].value == 0.5);
}

TEST_CASE("scaled accuracy is 0 for a guess, 1 for who is right, -1 for who is wrong") {
  Parity task;
  const TaskPiece piece = DrawSequence(task, 0);
  for (const double sign : {1.0, 0.0, -1.0}) {
    std::vector<double> y(40, sign * (piece.targets[39] > 0 ? 1 : -1));
    const auto scorer = task.MakeScorer(Split::kTest);
    scorer->Add(0, piece, y.data());
    bool found = false;
    for (const Tally& tally : scorer->Finish().tallies) {
      if (tally.metric != "scaled_accuracy") continue;
      found = true;
      CHECK(tally.subject == "model");
      CHECK(tally.numerator[0] / tally.denominator[0] == sign);
    }
    CHECK(found);
  }
}

}  // namespace
