#include "ssm/tasks/narma10.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "ssm/tasks/narma_series.h"
#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of narma10") {
  for (const char* config :
       {R"({"type": "narma10", "steps": 70})", R"({"type": "narma10", "steps": 51})"}) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const int64_t steps : {0, 99}) {
      for (const StreamLawResult& law :
           CheckStreams(*holder->task, Split::kTest, {.steps = steps}, 11, 100)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("targets are the recursion written out") {
  const Narma10 task;
  for (int64_t i = 0; i < 5; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    REQUIRE(piece.steps == 500);
    std::vector<double> y(501, 0.0);
    for (size_t t = 0; t < 500; ++t) {
      const double u = piece.reals[static_cast<int64_t>(t)];
      CHECK(u > 0);
      CHECK(u < 0.5);
      double sum = 0;
      for (size_t k = 0; k < 10 && k <= t; ++k) sum += y[t - k];
      const double far = t >= 9 ? piece.reals[static_cast<int64_t>(t) - 9] : 0;
      y[t + 1] = std::fmin(1, 0.3 * y[t] + 0.05 * y[t] * sum + 1.5 * far * u + 0.1);
      CHECK(piece.targets[static_cast<int64_t>(t)] == doctest::Approx(y[t + 1]).epsilon(1e-12));
      CHECK(piece.weights[static_cast<int64_t>(t)] == (t >= 50 ? 1 : 0));
      CHECK(piece.references[static_cast<int64_t>(3 * t + 1)] ==
            doctest::Approx(y[t]).epsilon(1e-12));
    }
  }
}

TEST_CASE("the recursion is held at 1") {
  NarmaSeries series;
  double y = 0;
  for (int64_t t = 0; t < 1000; ++t) y = series.Next(0.5);
  CHECK(y == 1);  // without it, infinite
}

TEST_CASE("the mean has an nmse of 1") {
  const Narma10 task;
  Workers workers(1);
  BatchReader reader(task, workers);
  const std::unique_ptr<Scorer> scorer = task.MakeScorer(Split::kTest);
  TaskPiece piece;
  reader.Open(7, Split::kTest, 0, 200, {.detail = Detail::kScoring});
  while (reader.Next(500, &piece)) {
    scorer->Add(0, piece, std::vector<double>(static_cast<size_t>(200 * piece.steps), 0.0).data());
  }
  for (const Tally& t : scorer->Finish().tallies) {
    if (t.subject != "mean" || t.metric != "nmse" || !t.axis.empty()) continue;
    CHECK(std::accumulate(t.numerator.begin(), t.numerator.end(), 0.0) /
              std::accumulate(t.denominator.begin(), t.denominator.end(), 0.0) ==
          doctest::Approx(1).epsilon(0.03));
  }
}

TEST_CASE("what narma10 refuses") {
  Narma10 task;
  CHECK(test::ErrorOf([&] {
          DrawSequence(task, 0, {.steps = 50});
        }).Says("end before scoring starts"));
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
  CHECK(test::ErrorOf([] {
          test::ReadTask(R"({"type": "narma10", "steps": 50})");
        }).Says("ask for more"));
}

}  // namespace
