#include "ssm/tasks/word_problem.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of word_problem") {
  const char* configs[] = {
      R"({"type": "word_problem"})",
      R"({"type": "word_problem", "group": "Z5", "steps": 4, "min_steps": 2, "window": 3})",
      R"({"type": "word_problem", "group": "A4", "steps": 30, "every": true})",
      R"({"type": "word_problem", "group": "S5", "steps": 30, "test_min_steps": 4, "window": 10})",
      R"({"type": "word_problem", "group": "A5", "steps": 9, "test_min_steps": 1, "every": true})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest}) {
      for (const StreamLawResult& law : CheckStreams(*holder->task, split, {}, 11, 400)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("the target is the product of all elements so far, in their order") {
  WordProblem task;
  for (const char* name : {"S3", "A5", "Z60"}) {
    task.group = name;
    const Group group = *GroupNamed(name);
    for (const bool every : {false, true}) {
      task.every = every;
      const TaskPiece piece = DrawSequence(task, 3, {.steps = 100});
      REQUIRE(piece.steps == 100);
      int64_t product = 0;
      for (int64_t t = 0; t < 100; ++t) {
        product = group.Product(product, piece.tokens[t]);
        const bool asked = every || t == 99;
        CHECK(piece.weights[t] == (asked ? 1 : 0));
        CHECK(piece.latents[t] == static_cast<double>(product));
        if (asked) CHECK(piece.targets[t] == static_cast<double>(product));
      }
    }
  }
}

TEST_CASE("every answer is as likely") {
  WordProblem task;
  task.steps = 2;
  task.min_steps = 2;
  std::vector<double> often(6, 0.0);
  constexpr int kSequences = 6000;
  for (int64_t i = 0; i < kSequences; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    often[static_cast<size_t>(piece.targets[1])] += 1.0 / kSequences;
  }
  for (const double share : often) {
    CHECK(std::abs(share - 1.0 / 6) < 5 * std::sqrt(5.0 / 36 / kSequences));
  }
}

TEST_CASE("what is known of word_problem") {
  WordProblem task;
  auto known = task.Known(Split::kTrain, {});  // lengths 3 to 40, six of them in a window of 8
  REQUIRE(known.size() == 5);
  CHECK(known[0].value == 1);
  CHECK(known[1].value == doctest::Approx(6.0 / 38 + 32.0 / 38 / 6).epsilon(1e-14));
  CHECK(known[2].value == doctest::Approx(1.0 / 6).epsilon(1e-14));
  CHECK(known[3].name == "coset");
  CHECK(known[3].value == doctest::Approx(1.0 / 3).epsilon(1e-14));  // the sign is known
  CHECK(known[4].value == doctest::Approx(1.0 / 6).epsilon(1e-14));
  task.group = "A4";
  CHECK(task.Known(Split::kTest, {})[3].value == 0.25);
  task.group = "Z60";
  CHECK(task.Known(Split::kTest, {}).size() == 4);
  CHECK(task.Describe().find("does not matter") != std::string::npos);
}

TEST_CASE("what word_problem refuses") {
  const auto error =
      test::ErrorOf([] { test::ReadTask(R"({"type": "word_problem", "group": "S9"})"); });
  CHECK(error.code == ExitCode::kBadConfig);
  WordProblem task;
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 2}, Split::kTrain); }).code ==
        ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
}

}  // namespace
