#include "ssm/tasks/adding.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of adding") {
  const char* configs[] = {
      R"({"type": "adding", "steps": 50})",
      R"({"type": "adding", "steps": 2, "window": 1})",
      R"({"type": "adding", "steps": 3, "window": 1, "places": "halves"})",
      R"({"type": "adding", "steps": 31, "window": 20, "places": "halves"})",
      R"({"type": "adding", "steps": 30, "window": 50})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const int64_t steps : {0, 61}) {
      for (const StreamLawResult& law :
           CheckStreams(*holder->task, Split::kTest, {.steps = steps}, 11, 600)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

/// The marked steps of a sequence; what is asked of it is checked.
std::pair<int64_t, int64_t> MarksOf(const TaskPiece& piece) {
  std::vector<int64_t> marks;
  double sum = 0;
  for (int64_t t = 0; t < piece.steps; ++t) {
    const double number = piece.reals[2 * t];
    const double mark = piece.reals[2 * t + 1];
    CHECK(number > 0);
    CHECK(number < 1);
    CHECK((mark == 0 || mark == 1));
    if (mark == 1) marks.push_back(t);
    sum += mark * number;
    CHECK(piece.latents[2 * t] == sum);
    CHECK(piece.latents[2 * t + 1] == static_cast<double>(marks.size()));
    CHECK(piece.weights[t] == (t == piece.steps - 1 ? 1 : 0));
  }
  REQUIRE(marks.size() == 2);
  CHECK(piece.targets[piece.steps - 1] == sum);
  CHECK(piece.lags[piece.steps - 1] == piece.steps - 1 - marks[0]);
  return {marks[0], marks[1]};
}

TEST_CASE("the target is the sum of the marked numbers, and every pair of steps is as likely") {
  Adding task;
  task.steps = 5;
  std::map<std::pair<int64_t, int64_t>, double> often;
  constexpr int kSequences = 4000;
  for (int64_t i = 0; i < kSequences; ++i) {
    often[MarksOf(DrawSequence(task, i))] += 1.0 / kSequences;
  }
  CHECK(often.size() == 10);
  for (const auto& [marks, share] : often) {
    CHECK(std::abs(share - 0.1) < 5 * std::sqrt(0.09 / kSequences));
  }
  task.places = AddingPlaces::kHalves;
  often.clear();
  for (int64_t i = 0; i < kSequences; ++i) {
    const auto marks = MarksOf(DrawSequence(task, i));
    CHECK(marks.first < 2);
    CHECK(marks.second >= 2);
    often[marks] += 1.0 / kSequences;
  }
  CHECK(often.size() == 6);
}

double Known(const Task& task, size_t i, int64_t steps = 0) {
  return task.Known(Split::kTest, {.steps = steps})[i].value;
}

TEST_CASE("what is known of adding") {
  Adding task;
  const auto known = task.Known(Split::kTest, {});
  REQUIRE(known.size() == 6);
  CHECK(known[5].metric == "mse");
  CHECK(known[5].value == doctest::Approx(1.0 / 6).epsilon(1e-15));  // who says the mean
  CHECK(known[2].metric == "nmse");
  CHECK(known[2].value == 1);
  CHECK(known[0].value == 0);
  // Of 200 steps 168 lie before the newest 32: so much of both numbers, a twelfth each.
  CHECK(known[4].value == doctest::Approx(2 * 0.84 / 12).epsilon(1e-14));
  CHECK(known[1].value == doctest::Approx(0.84).epsilon(1e-14));
  CHECK(Known(task, 1, 32) == 0);
  task.places = AddingPlaces::kHalves;  // all of the first half, 68 of the 100 of the second
  CHECK(Known(task, 4) == doctest::Approx(1.68 / 12).epsilon(1e-14));
  task.window = 150;  // half of the first half
  CHECK(Known(task, 4) == doctest::Approx(0.5 / 12).epsilon(1e-14));
  CHECK(NumbersOutOfWindow({AddingPlaces::kHalves, 5, 4}) == 0.5);
  CHECK(NumbersOutOfWindow({AddingPlaces::kHalves, 5, 2}) == doctest::Approx(1 + 1.0 / 3));
  CHECK(task.Describe().find("1/6") != std::string::npos);
}

TEST_CASE("what adding refuses") {
  Adding task;
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 1}); }).code == ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
}

}  // namespace
