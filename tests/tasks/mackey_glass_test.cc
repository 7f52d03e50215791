#include "ssm/tasks/mackey_glass.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "ssm/tasks/mackey_glass_series.h"
#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of mackey_glass") {
  const char* configs[] = {
      R"({"type": "mackey_glass", "steps": 40})",
      R"({"type": "mackey_glass", "steps": 18, "horizon": 1})",
      R"({"type": "mackey_glass", "steps": 30, "horizon": 84})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const int64_t steps : {0, 61}) {
      for (const StreamLawResult& law :
           CheckStreams(*holder->task, Split::kTest, {.steps = steps}, 11, 60)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("the series solves the equation: Euler's rule at two step sizes, extrapolated") {
  // The error of Euler's rule is linear in its step: twice the finer solution less the coarser. The
  // corner of x at s = 0 costs the cubic 2e-5, once.
  const auto euler = [](int64_t parts, int64_t units) {
    const int64_t delay = 17 * parts;
    std::vector<double> x(static_cast<size_t>(delay + 1), 1.2);
    for (int64_t i = 0; i < units * parts; ++i) {
      const double now = x[static_cast<size_t>(delay + i)];
      const double past = x[static_cast<size_t>(i)];
      x.push_back(now +
                  (0.2 * past / (1 + std::pow(past, 10)) - 0.1 * now) / static_cast<double>(parts));
    }
    std::vector<double> sampled;
    for (int64_t u = 1; u <= units; ++u)
      sampled.push_back(x[static_cast<size_t>(delay + u * parts)]);
    return sampled;
  };
  const std::vector<double> coarse = euler(2000, 60);
  const std::vector<double> fine = euler(4000, 60);
  MackeyGlassSeries series(1.2);
  CHECK(series.now() == 1.2);
  double range = 0;
  for (size_t u = 0; u < 60; ++u) {
    const double x = series.Next();
    CHECK(std::fabs(x - (2 * fine[u] - coarse[u])) < 3e-5);
    range = std::max(range, std::fabs(x - 1.2));
  }
  CHECK(range > 0.5);
}

TEST_CASE("each step asks for the input of so many steps on") {
  MackeyGlass task;
  task.steps = 100;
  task.horizon = 6;
  for (int64_t i = 0; i < 5; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    REQUIRE(piece.steps == 100);
    for (int64_t t = 0; t < 100; ++t) {
      if (t + 6 < 100) CHECK(piece.targets[t] == piece.reals[t + 6]);
      CHECK(piece.weights[t] == (t >= 17 ? 1 : 0));
      CHECK(piece.references[3 * t] == piece.targets[t]);
      CHECK(piece.references[3 * t + 1] == piece.reals[t]);
    }
  }
}

double Ratio(const Score& score, const std::string& subject) {
  for (const Tally& t : score.tallies) {
    if (t.subject != subject || t.metric != "nmse" || !t.axis.empty()) continue;
    return std::accumulate(t.numerator.begin(), t.numerator.end(), 0.0) /
           std::accumulate(t.denominator.begin(), t.denominator.end(), 0.0);
  }
  return std::nan("");
}

TEST_CASE("errors of the mean and of the newest value, against two million steps") {
  struct Row {
    int64_t horizon;
    double newest;
  };
  for (const Row row : {Row{1, 0.02129}, Row{15, 2.618}, Row{84, 2.695}}) {
    MackeyGlass task;
    task.horizon = row.horizon;
    Workers workers(1);
    BatchReader reader(task, workers);
    const std::unique_ptr<Scorer> scorer = task.MakeScorer(Split::kTest);
    TaskPiece piece;
    reader.Open(7, Split::kTest, 0, 60, {.detail = Detail::kScoring});
    while (reader.Next(1000, &piece)) {
      scorer->Add(0, piece, std::vector<double>(static_cast<size_t>(60 * piece.steps), 0.0).data());
    }
    const Score score = scorer->Finish();
    CHECK(Ratio(score, "mean") == doctest::Approx(1).epsilon(0.02));
    CHECK(Ratio(score, "newest") == doctest::Approx(row.newest).epsilon(0.02));
    CHECK(Ratio(score, "equation") == 0);
    CHECK(Ratio(score, "model") == doctest::Approx(1 + 0.93 * 0.93 / 0.0511).epsilon(0.02));
  }
}

TEST_CASE("what mackey_glass refuses") {
  MackeyGlass task;
  CHECK(test::ErrorOf([&] {
          DrawSequence(task, 0, {.steps = 17});
        }).Says("end before scoring starts"));
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
  CHECK(test::ErrorOf([] {
          test::ReadTask(R"({"type": "mackey_glass", "steps": 17})");
        }).Says("ask for more"));
}

}  // namespace
