#include "ssm/tasks/passkey.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "ssm/tasks/exact_match_scorer.h"
#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of passkey") {
  const char* configs[] = {
      R"({"type": "passkey", "steps": 40, "window": 20})",
      R"({"type": "passkey", "digits": 1, "steps": 3, "fillers": 1, "window": 1})",
      R"({"type": "passkey", "digits": 2, "steps": 30, "window": 9})",
      R"({"type": "passkey", "digits": 3, "steps": 25, "window": 500})",
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

TEST_CASE("the key stands anywhere in filler, once, and is asked for at the end") {
  Passkey task;
  task.digits = 2;
  task.fillers = 3;
  task.steps = 9;
  std::map<int64_t, double> often;
  constexpr int kSequences = 2000;
  for (int64_t i = 0; i < kSequences; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    REQUIRE(piece.steps == 9);
    int64_t mark = -1;
    for (int64_t t = 0; t < 7; ++t) {
      CHECK(piece.weights[t] == 0);
      CHECK(piece.lags[t] == -1);
      if (piece.tokens[t] != 13) continue;
      CHECK(mark == -1);
      mark = t;
    }
    REQUIRE(mark >= 0);
    REQUIRE(mark < 5);
    for (int64_t t = 0; t < 7; ++t) {
      const bool in_key = t > mark && t <= mark + 2;
      CHECK((piece.tokens[t] < 10) == in_key);
      for (int64_t d = 0; d < 2; ++d) {
        const double digit = static_cast<double>(piece.tokens[mark + 1 + d]);
        CHECK(piece.latents[2 * t + d] == (t >= mark + 1 + d ? digit : 10));
      }
    }
    for (int64_t d = 0; d < 2; ++d) {
      CHECK(piece.tokens[7 + d] == 14);
      CHECK(piece.weights[7 + d] == 1);
      CHECK(piece.targets[7 + d] == static_cast<double>(piece.tokens[mark + 1 + d]));
      CHECK(piece.lags[7 + d] == 7 + d - (mark + 1 + d));
      CHECK(piece.asked[7 + d] == d);
      CHECK(piece.strata[7 + d] == mark);
    }
    often[mark] += 1.0 / kSequences;
  }
  for (const auto& [mark, share] : often) {
    CHECK(std::abs(share - 0.2) < 5 * std::sqrt(0.16 / kSequences));
  }
}

TEST_CASE("what is known of passkey") {
  Passkey task;
  auto known = task.Known(Split::kTest, {});
  REQUIRE(known.size() == 6);
  CHECK(known[0].value == 1);
  CHECK(known[2].value == 0.1);
  CHECK(known[5].metric == "exact_match");
  CHECK(known[5].value == doctest::Approx(1e-5).epsilon(1e-12));
  // The question is asked first on step 251; the newest 64 steps start at 188, where the first
  // digit may stand, the mark on 187: 59 of 246 places.
  CHECK(known[4].value == doctest::Approx(59.0 / 246 + 187.0 / 246 * 1e-5).epsilon(1e-12));
  CHECK(known[1].value == doctest::Approx(59.0 / 246 + 187.0 / 246 * 0.1).epsilon(1e-12));
  known = task.Known(Split::kTest, {.steps = 69});
  CHECK(known[4].value == 1);
  task.window = 5;  // when the first digit is asked for the newest 5 steps hold no digit but it
  CHECK(task.Known(Split::kTest, {})[4].value == doctest::Approx(1e-5));
  task.window = 6;
  CHECK(task.Known(Split::kTest, {})[4].value == doctest::Approx(1.0 / 246).epsilon(0.01));
  CHECK(task.Describe().find("1e-5") != std::string::npos);
}

double Match(const Score& score, const std::string& axis, const std::string& label) {
  for (const Tally& t : score.tallies) {
    if (t.subject != "model" || t.metric != "exact_match" || t.axis != axis || t.label != label) {
      continue;
    }
    return std::accumulate(t.numerator.begin(), t.numerator.end(), 0.0) /
           std::accumulate(t.denominator.begin(), t.denominator.end(), 0.0);
  }
  return std::nan("");
}

TEST_CASE("a whole key counts where every digit is right, in any pieces") {
  Passkey task;
  task.digits = 3;
  task.steps = 20;
  for (const int64_t cut : {20, 1, 18}) {
    Workers workers(1);
    BatchReader reader(task, workers);
    ExactMatchScorer scorer(task.Spec());
    TaskPiece piece;
    reader.Open(7, Split::kTest, 0, 40, {.detail = Detail::kScoring});
    int64_t from = 0;
    std::map<int64_t, std::vector<double>> right;  // by depth
    while (reader.Next(cut, &piece)) {
      std::vector<double> y(static_cast<size_t>(40 * piece.steps * 10), 0.0);
      for (int64_t row = 0; row < 40; ++row) {
        for (int64_t t = 0; t < piece.steps; ++t) {
          const int64_t at = row * piece.steps + t;
          if (piece.weights[at] == 0) continue;
          // Rows 0, 4, 8, ... are all right; of others the last digit is wrong; but row 2, where
          // two classes are as likely.
          const bool wrong = row % 4 != 0 && row != 2 && from + t == 19;
          const int64_t answer = static_cast<int64_t>(piece.targets[at]);
          y[static_cast<size_t>(10 * at + (wrong ? (answer + 1) % 10 : answer))] = 5;
          if (row == 2 && from + t == 18) y[static_cast<size_t>(10 * at + (answer + 1) % 10)] = 5;
          if (from + t == 19) {
            right[piece.strata[at]].push_back(row == 2 ? 0.5 : row % 4 == 0 ? 1 : 0);
          }
        }
      }
      scorer.Add(0, piece, y.data());
      from += piece.steps;
    }
    const Score score = scorer.Finish();
    CHECK(Match(score, "", "") == doctest::Approx(10.5 / 40));
    for (const auto& [depth, share] : right) {
      CHECK(Match(score, "depth", PasskeyStrata()[0].labels[static_cast<size_t>(depth)]) ==
            doctest::Approx(std::accumulate(share.begin(), share.end(), 0.0) /
                            static_cast<double>(share.size())));
    }
  }
}

TEST_CASE("what passkey refuses") {
  Passkey task;
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 10}); }).Says("at least 11 steps"));
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
  CHECK(test::ErrorOf([] {
          test::ReadTask(R"({"type": "passkey", "steps": 10})");
        }).Says("ask for 11 or more"));
}

}  // namespace
