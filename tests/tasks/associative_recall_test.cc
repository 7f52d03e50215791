#include "ssm/tasks/associative_recall.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of associative_recall") {
  const char* configs[] = {
      R"({"type": "associative_recall"})",
      R"({"type": "associative_recall", "keys": 2, "values": 2, "steps": 4, "window": 1})",
      R"({"type": "associative_recall", "keys": 3, "values": 5, "steps": 11, "window": 4})",
      R"({"type": "associative_recall", "keys": 40, "values": 9, "steps": 30, "window": 100})",
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

TEST_CASE("the answer is the value that the key has all through the sequence") {
  AssociativeRecall task;
  task.keys = 4;
  task.values = 3;
  for (const int64_t steps : {22, 23}) {
    std::set<int64_t> answers;
    for (int64_t i = 0; i < 100; ++i) {
      const TaskPiece piece = DrawSequence(task, i, {.steps = steps});
      REQUIRE(piece.steps == steps);
      const int64_t begin = steps % 2, last = steps - 1;
      if (begin == 1) CHECK(piece.tokens[0] == 7);
      CHECK(piece.tokens[last - 1] == 7);
      std::map<int64_t, int64_t> values, shown;
      for (int64_t t = begin; t < last - 1; t += 2) {
        const int64_t key = piece.tokens[t], value = piece.tokens[t + 1];
        CHECK(key < 4);
        CHECK(value >= 4);
        CHECK(value < 7);
        if (values.count(key) == 1) CHECK(values[key] == value);
        values[key] = value;
        shown[key] = t + 1;
      }
      REQUIRE(values.count(piece.tokens[last]) == 1);
      CHECK(piece.targets[last] == static_cast<double>(values[piece.tokens[last]] - 4));
      CHECK(piece.lags[last] == last - shown[piece.tokens[last]]);
      for (int64_t t = 0; t < steps; ++t) CHECK(piece.weights[t] == (t == last ? 1 : 0));
      answers.insert(static_cast<int64_t>(piece.targets[last]));
    }
    CHECK(answers == std::set<int64_t>{0, 1, 2});
  }
}

TEST_CASE("whether the key asked for is among the newest, against all sequences of keys") {
  constexpr int64_t kKeys = 3, kPairs = 5;
  const AssociativeLaw law{kKeys, 4, 2 * kPairs + 2, 8};
  for (int64_t newest = 0; newest <= kPairs + 1; ++newest) {
    double sum = 0;
    constexpr int kAll = 243;  // 3^5
    for (int sequence = 0; sequence < kAll; ++sequence) {
      std::set<int> all, late;
      int digits = sequence;
      for (int64_t i = 0; i < kPairs; ++i, digits /= 3) {
        all.insert(digits % 3);
        if (i < newest) late.insert(digits % 3);
      }
      sum += static_cast<double>(late.size()) / static_cast<double>(all.size()) / kAll;
    }
    CAPTURE(newest);
    CHECK(AskedAmongNewest(law, newest) == doctest::Approx(sum).epsilon(1e-13));
  }
  // Many pairs: all keys were shown, and the chain agrees with the limit where both are taken.
  CHECK(AskedAmongNewest({8, 4, 10'000, 8}, 3) ==
        doctest::Approx(1 - std::pow(7.0 / 8, 3)).epsilon(1e-13));
  CHECK(AskedAmongNewest({8, 4, 402, 8}, 3) ==
        doctest::Approx(1 - std::pow(7.0 / 8, 3)).epsilon(1e-10));
}

TEST_CASE("what is known of associative_recall") {
  AssociativeRecall task;
  task.steps = 4;  // one pair
  task.window = 2;
  auto known = task.Known(Split::kTest, {});
  REQUIRE(known.size() == 4);
  for (int i = 0; i < 3; ++i) CHECK(known[static_cast<size_t>(i)].value == 1);
  CHECK(known[3].value == 1.0 / 16);
  task.window = 1;
  CHECK(task.Known(Split::kTest, {})[1].value == 1.0 / 16);
  task.keys = 2;
  task.values = 4;
  task.steps = 6;  // two pairs of one key, or of two: the newest is asked for 3 times in 4
  known = task.Known(Split::kTest, {});
  CHECK(known[2].value == doctest::Approx(0.75 + 0.25 / 4).epsilon(1e-14));
  CHECK(task.Describe().find("holds 4.000 bits") != std::string::npos);
}

TEST_CASE("what associative_recall refuses") {
  AssociativeRecall task;
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 3}); }).code == ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
}

}  // namespace
