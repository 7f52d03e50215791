#include "ssm/tasks/induction.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "ssm/tasks/induction_stream.h"
#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of induction") {
  const char* configs[] = {
      R"({"type": "induction", "steps": 64})",
      R"({"type": "induction", "symbols": 2, "steps": 4, "window": 1})",
      R"({"type": "induction", "symbols": 3, "steps": 20, "window": 50})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const int64_t steps : {0, 33}) {
      for (const StreamLawResult& law :
           CheckStreams(*holder->task, Split::kTest, {.steps = steps}, 11, 300)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("the answer is what followed the trigger, which stands anywhere") {
  Induction task;
  task.symbols = 7;
  task.steps = 12;
  std::set<int64_t> places, answers;
  for (int64_t i = 0; i < 400; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    REQUIRE(piece.steps == 12);
    const int64_t* tokens = piece.tokens.data();
    const int64_t place = std::find(tokens, tokens + 12, 7) - tokens;
    CHECK(std::count(tokens, tokens + 12, 7) == 2);
    CHECK(tokens[11] == 7);
    CHECK(piece.targets[11] == static_cast<double>(tokens[place + 1]));
    CHECK(piece.lags[11] == 11 - (place + 1));
    CHECK(piece.latents[place] == 7);  // not shown yet
    CHECK(piece.latents[place + 1] == piece.targets[11]);
    for (int64_t t = 0; t < 12; ++t) CHECK(piece.weights[t] == (t == 11 ? 1 : 0));
    places.insert(place);
    answers.insert(tokens[place + 1]);
  }
  CHECK(places == std::set<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(answers == std::set<int64_t>{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("the shortest sequence: trigger, answer, one more, trigger") {
  Induction task;
  const TaskPiece piece = DrawSequence(task, 0, {.steps = 4});
  CHECK(piece.tokens[0] == 16);
  CHECK(piece.tokens[3] == 16);
  CHECK(piece.targets[3] == static_cast<double>(piece.tokens[1]));
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 3}); }).code == ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { task.Known(Split::kTest, {.steps = 3}); }).code ==
        ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
}

TEST_CASE("a million steps come piece by piece") {
  Induction task;
  const auto stream = task.Open(1, Split::kTest, 0, {.steps = int64_t{1} << 20});
  std::vector<int64_t> tokens(4096);
  PieceRow row;
  row.tokens = tokens.data();
  int64_t steps = 0, triggers = 0;
  for (int64_t n = 0; (n = stream->Next(4096, row)) > 0; steps += n) {
    triggers += std::count(tokens.begin(), tokens.begin() + n, 16);
  }
  CHECK(steps == int64_t{1} << 20);
  CHECK(triggers == 2);
}

TEST_CASE("what is known of induction") {
  Induction task;
  task.steps = 64;
  const auto known = task.Known(Split::kTest, {});
  REQUIRE(known.size() == 4);
  CHECK(known[0].value == 1);
  // Of 61 places the last 29 leave trigger and answer in the newest 32 steps.
  CHECK(known[1].name == "window 32");
  CHECK(known[1].value == doctest::Approx(29.0 / 61 + 32.0 / 61 / 16).epsilon(1e-14));
  CHECK(known[2].value == 1.0 / 16);
  CHECK(known[3].value == 1.0 / 16);
  CHECK(TriggerInWindow({16, 4, 4}) == 1);
  CHECK(TriggerInWindow({16, 4, 3}) == 0);
  CHECK(TriggerInWindow({16, 10, 5}) == 2.0 / 7);
  CHECK(task.Describe().find("with probability 0.5082, who guesses with 0.06250") !=
        std::string::npos);
}

}  // namespace
