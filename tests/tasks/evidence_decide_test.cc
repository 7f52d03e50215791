#include "ssm/tasks/evidence_decide.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ssm/tasks/batch.h"
#include "ssm/tasks/decide_scorer.h"
#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT

double Ratio(const Score& score, const std::string& subject, const std::string& metric) {
  for (const Tally& t : score.tallies) {
    if (t.subject != subject || t.metric != metric || !t.axis.empty()) continue;
    return std::accumulate(t.numerator.begin(), t.numerator.end(), 0.0) /
           std::accumulate(t.denominator.begin(), t.denominator.end(), 0.0);
  }
  return std::nan("");
}

/// Scores a model that answers `weight` times reference `which`.
Score Play(const Task& task, Split split, int64_t trials, const StreamOptions& options,
           double weight = 1, int64_t which = 0) {
  Workers workers(1);
  BatchReader reader(task, workers);
  const std::unique_ptr<Scorer> scorer = task.MakeScorer(split);
  const int64_t references = std::ssize(task.Spec().references);
  StreamOptions scoring = options;
  scoring.detail = Detail::kScoring;
  TaskPiece piece;
  std::vector<double> y;
  constexpr int64_t kRows = 50;
  for (int64_t first = 0; first < trials; first += kRows) {
    reader.Open(7, split, first, std::min(kRows, trials - first), scoring);
    while (reader.Next(100, &piece)) {
      y.assign(static_cast<size_t>(piece.rows * piece.steps), 0.0);
      for (size_t i = 0; i < y.size(); ++i) {
        y[i] = weight * piece.references[static_cast<int64_t>(i) * references + which];
      }
      scorer->Add(first, piece, y.data());
    }
  }
  return scorer->Finish();
}

double KnownOf(const Task& task, const std::string& name, Split split = Split::kTest) {
  for (const KnownValue& k : task.Known(split, {})) {
    if (k.name == name) return k.value;
  }
  return std::nan("");
}

TEST_CASE("a given drift: accuracy by length as computed and as drawn") {
  // Phi(0.05 sqrt(T)).
  struct Row {
    int64_t steps;
    double accuracy;
  };
  for (const Row row : {Row{64, 0.6554}, Row{256, 0.7881}, Row{1024, 0.9452}, Row{4096, 0.9993}}) {
    EvidenceDecide task;
    task.dprime = 0;
    task.drift = {0.05};
    task.steps = row.steps;
    CHECK(std::fabs(KnownOf(task, "exact log-odds") - row.accuracy) < 5e-5);
    const int64_t trials = row.steps > 1000 ? 1000 : 4000;
    const double drawn = Ratio(Play(task, Split::kTest, trials, {}), "model", "accuracy");
    const double error = std::sqrt(row.accuracy * (1 - row.accuracy) / static_cast<double>(trials));
    CHECK(std::fabs(drawn - row.accuracy) < 4 * error + 1e-3);
  }
}

TEST_CASE("d' fixes the ceiling whatever the length, the rate and what is missing") {
  for (const double miss : {0.0, 0.3, 0.9}) {
    for (const int64_t steps : {1, 2, 5, 40}) {
      for (const double dt_scale : {1.0, 2.0}) {
        EvidenceDecide task;
        task.miss = miss;
        task.steps = steps;
        task.dprime = 1;
        const StreamOptions options{.dt_scale = dt_scale};
        const KnownValue ceiling = task.Known(Split::kTest, options)[0];
        CHECK(ceiling.value == doctest::Approx(0.84134474606854293).epsilon(1e-12));
        const double drawn = Ratio(Play(task, Split::kTest, 3000, options), "model", "accuracy");
        CHECK(std::fabs(drawn - ceiling.value) < 0.0267);  // 4 standard errors
      }
    }
  }
}

TEST_CASE("a delay that another rate cuts in parts is refused, as a lag is") {
  EvidenceDecide task;
  task.delay = 3;
  CHECK(test::ErrorOf([&] {
          task.Known(Split::kTest, {.dt_scale = 2});
        }).Says("a delay of 3 trained steps is no whole number of steps at dt_scale 2"));
  CHECK_NOTHROW(task.Known(Split::kTest, {.dt_scale = 3}));
  CHECK_NOTHROW(task.Known(Split::kTest, {.dt_scale = 0.5}));
}

TEST_CASE("closed forms of the heuristics") {
  EvidenceDecide task;
  CHECK(KnownOf(task, "exact log-odds") == doctest::Approx(0.97724986805182079).epsilon(1e-12));
  CHECK(KnownOf(task, "last sample") == doctest::Approx(0.5 * std::erfc(-0.125 / std::sqrt(2.0))));
  // Signs keep 2/pi of the information in the limit of small drifts.
  CHECK(KnownOf(task, "majority of signs") ==
        doctest::Approx(0.5 * std::erfc(-2 * std::sqrt(2 / std::acos(-1.0)) / std::sqrt(2.0)))
            .epsilon(2e-3));
  const double leak = std::exp(-1.0 / 64);
  const double gain = (1 - std::pow(leak, 256)) / (1 - leak);
  const double variance = (1 - std::pow(leak, 512)) / (1 - leak * leak);
  CHECK(KnownOf(task, "leaky tau 64") ==
        doctest::Approx(0.5 * std::erfc(-0.125 * gain / std::sqrt(2 * variance))).epsilon(1e-12));
  CHECK(KnownOf(task, "chance") == 0.5);
  CHECK(KnownOf(task, "exact log-odds", Split::kProbe) == 0.5);
  // Three votes: p^3 + 3 p^2 (1 - p); two votes are as good as one.
  task.steps = 3;
  const double p = KnownOf(task, "last sample");
  CHECK(KnownOf(task, "majority of signs") == doctest::Approx(p * p * (3 - 2 * p)).epsilon(1e-12));
  task.steps = 2;
  CHECK(KnownOf(task, "majority of signs") ==
        doctest::Approx(KnownOf(task, "last sample")).epsilon(1e-12));
}

TEST_CASE("the laws of streams, over the knobs") {
  const char* configs[] = {
      R"({"type": "evidence.decide"})",
      R"({"type": "evidence.decide", "steps": 33, "miss": 0.4, "dprime": 1.5})",
      R"({"type": "evidence.decide", "steps": 20, "drift": [0.1, 0.4], "sigma": 0.7, "miss": 0.5})",
      R"({"type": "evidence.decide", "steps": 30, "delay": 9, "distractor_sigma": 1})",
      R"({"type": "evidence.decide", "steps": 1, "miss": 0.8, "delay": 3})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const Split split : {Split::kTrain, Split::kTest, Split::kProbe}) {
      for (const double dt_scale : {1.0, 3.0}) {
        const StreamOptions options{.dt_scale = dt_scale};
        for (const StreamLawResult& law : CheckStreams(*holder->task, split, options, 5, 600)) {
          CAPTURE(law.law);
          CHECK_MESSAGE(law.passed, law.where);
        }
      }
    }
  }
}

/// The piece of one trial.
TaskPiece OneTrial(const Task& task, Split split, int64_t index, Detail detail) {
  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(3, split, index, 1, {.detail = detail});
  TaskPiece piece;
  REQUIRE(reader.Next(1 << 20, &piece));
  return piece;
}

TEST_CASE("channels, go cue, label and delay stand where they should") {
  EvidenceDecide task;
  task.steps = 6;
  task.delay = 3;
  task.miss = 0.5;
  const TaskSpec spec = task.Spec();
  CHECK(spec.reals == std::vector<std::string>{"sample", "seen", "go"});
  CHECK(spec.steps == 9);
  for (int64_t i = 0; i < 20; ++i) {
    const TaskPiece piece = OneTrial(task, Split::kTrain, i, Detail::kLatents);
    int64_t seen = 0;
    for (int64_t t = 0; t < 9; ++t) {
      const double* input = piece.reals.data() + 3 * t;
      CHECK(input[2] == (t == 8 ? 1 : 0));
      CHECK(piece.weights[t] == (t == 8 ? 1 : 0));
      if (input[1] == 0) CHECK(input[0] == 0);
      if (t >= 6) CHECK(input[1] == 0);
      seen += input[1] == 1 ? 1 : 0;
    }
    CHECK(seen >= 1);
    CHECK(piece.lags[8] == 3);
    CHECK(piece.latents[2 * 8 + 1] == piece.targets[8]);
  }
}

/// Log-odds by brute force: every later mask in turn.
double BruteLogOdds(const EvidenceDecide& task, const TaskPiece& piece, int64_t t) {
  double sum = 0;
  int64_t seen = 0;
  for (int64_t k = 0; k <= t; ++k) {
    sum += piece.reals[3 * k];
    seen += piece.reals[3 * k + 1] == 1 ? 1 : 0;
  }
  const int64_t left = task.steps - 1 - t;
  double plus = 0;
  double minus = 0;
  for (int64_t mask = 0; mask < (int64_t{1} << left); ++mask) {
    int64_t later = 0;
    double prior = 1;
    for (int64_t k = 0; k < left; ++k) {
      const bool shown = (mask >> k & 1) == 1;
      later += shown ? 1 : 0;
      prior *= shown ? 1 - task.miss : task.miss;
    }
    if (seen + later == 0) continue;
    const double n = static_cast<double>(seen);
    const double m = task.dprime * task.sigma / std::sqrt(static_cast<double>(seen + later));
    const double v = task.sigma * task.sigma;
    plus += prior * std::exp((m * sum - m * m * n / 2) / v);
    minus += prior * std::exp((-m * sum - m * m * n / 2) / v);
  }
  return std::log(plus / minus);
}

TEST_CASE("log-odds at every step, with the number of later samples unknown") {
  EvidenceDecide task;
  task.steps = 7;
  task.miss = 0.6;
  task.sigma = 1.3;
  for (int64_t i = 0; i < 10; ++i) {
    const TaskPiece piece = OneTrial(task, Split::kTest, i, Detail::kLatents);
    for (int64_t t = 0; t < 7; ++t) {
      CHECK(piece.latents[2 * t] == doctest::Approx(BruteLogOdds(task, piece, t)).epsilon(1e-10));
    }
    CHECK(piece.references[6 * std::ssize(task.Spec().references)] == piece.latents[2 * 6]);
  }
}

TEST_CASE("log-odds of a drift list mix its sizes") {
  EvidenceDecide task;
  task.dprime = 0;
  task.drift = {0.2, 0.9};
  task.steps = 12;
  const TaskPiece piece = OneTrial(task, Split::kTest, 0, Detail::kLatents);
  double sum = 0;
  for (int64_t t = 0; t < 12; ++t) {
    sum += piece.reals[2 * t];
    const double n = static_cast<double>(t + 1);
    const auto likelihood = [&](double m) { return std::exp(m * sum - m * m * n / 2); };
    const double odds = (likelihood(0.2) + likelihood(0.9)) / (likelihood(-0.2) + likelihood(-0.9));
    CHECK(piece.latents[2 * t] == doctest::Approx(std::log(odds)).epsilon(1e-10));
  }
}

TEST_CASE("strata split trials by drift") {
  const auto holder = test::ReadTask(R"({"type": "evidence.decide", "drift": [0.02, 0.3]})");
  const Score score = Play(*holder->task, Split::kTest, 2000, {});
  double accuracy[2] = {};
  for (const Tally& t : score.tallies) {
    if (t.subject != "model" || t.metric != "accuracy" || t.axis != "drift") continue;
    const double ratio = std::accumulate(t.numerator.begin(), t.numerator.end(), 0.0) /
                         std::accumulate(t.denominator.begin(), t.denominator.end(), 0.0);
    accuracy[t.label == "0.3"] = ratio;
  }
  CHECK(std::fabs(accuracy[0] - 0.6255) < 0.05);  // Phi(0.02 * 16)
  CHECK(accuracy[1] > 0.995);
}

TEST_CASE("calibration: the exact observer is calibrated, an overconfident one is not") {
  EvidenceDecide task;
  const Score exact = Play(task, Split::kTest, 4000, {});
  CHECK(Ratio(exact, "model", "logit_gap") == 0);
  CHECK(Ratio(exact, "model", "posterior_gap") == 0);
  CHECK(Ratio(exact, "model", "ece") < 0.012);
  CHECK(Ratio(exact, "model", "bce") == Ratio(exact, "exact log-odds", "bce"));
  const Score bold = Play(task, Split::kTest, 4000, {}, 3);
  CHECK(Ratio(bold, "model", "accuracy") == Ratio(exact, "model", "accuracy"));
  CHECK(Ratio(bold, "model", "ece") > 0.015);
  CHECK(Ratio(bold, "model", "bce") > Ratio(exact, "model", "bce"));
  const Score timid = Play(task, Split::kTest, 4000, {}, 0.2);
  CHECK(Ratio(timid, "model", "ece") > 0.1);
  // Half the log-odds everywhere: the gap is half of their mean size, known for d' 2.
  CHECK(Ratio(Play(task, Split::kTest, 1000, {}, 0.5), "model", "logit_gap") ==
        doctest::Approx(0.5 * Ratio(Play(task, Split::kTest, 1000, {}, 0), "model", "logit_gap"))
            .epsilon(1e-12));
}

TEST_CASE("psychophysical kernel of the exact integrator over 20,000 trials") {
  const EvidenceDecide task;
  const Score score = Play(task, Split::kProbe, 20000, {});
  REQUIRE(score.curves.size() == 2);
  CHECK(score.curves[0].name == "psychophysical_kernel");
  CHECK(score.curves[0].y == score.curves[1].y);
  REQUIRE(score.curves[0].y.size() == 16);
  CHECK(score.curves[0].x[0] == 7.5);
  CHECK(score.curves[0].x[15] == 247.5);
  // E[xi | S > 0] - E[xi | S < 0] = 2 sqrt(2 / pi) / 16.
  for (const double w : score.curves[0].y) CHECK(std::fabs(w - 0.09974) < 0.015);
  CHECK(MaxOverMin(score.curves[0]) > 1.05);
  CHECK(MaxOverMin(score.curves[0]) < 1.25);
  CHECK(std::fabs(Ratio(score, "model", "accuracy") - 0.5) < 0.0145);
}

TEST_CASE("the kernel names a leaky observer") {
  const EvidenceDecide task;
  const Score score = Play(task, Split::kProbe, 6000, {}, 1, 5);  // leaky tau 64
  CHECK(task.Spec().references[5].name == "leaky tau 64");
  const std::vector<double>& w = score.curves[0].y;
  CHECK(w[15] > 3 * std::fabs(w[5]));
  CHECK(std::log(w[15] / w[11]) == doctest::Approx(1).epsilon(0.3));  // 64 steps apart
  CHECK(MaxOverMin(score.curves[0]) > 3);
}

TEST_CASE("the kernel leaves the delay and what was not seen out") {
  EvidenceDecide task;
  task.steps = 64;
  task.delay = 10;
  task.distractor_sigma = 3;
  task.miss = 0.5;
  const Score score = Play(task, Split::kProbe, 8000, {});
  REQUIRE(score.curves[0].y.size() == 16);
  CHECK(score.curves[0].x[15] == 61.5);
  // With n of 64 samples seen the kernel is 2 sqrt(2 / (pi n)); n is about 32.
  const double mean = std::accumulate(score.curves[0].y.begin(), score.curves[0].y.end(), 0.0) / 16;
  CHECK(mean == doctest::Approx(0.2835).epsilon(0.05));
  task.steps = 5;
  CHECK(Play(task, Split::kProbe, 100, {}).curves[0].y.size() == 5);
}

TEST_CASE("max over min of a kernel") {
  CHECK(MaxOverMin({"k", {0, 1}, {2, 3}}) == 1.5);
  CHECK(std::isinf(MaxOverMin({"k", {0, 1}, {-1, 3}})));
  CHECK(std::isnan(MaxOverMin({"k", {}, {}})));
  CHECK(std::isnan(MaxOverMin({"k", {0, 1}, {1, std::nan("")}})));
}

TEST_CASE("a drift list replaces the default d', and both together are refused") {
  const auto holder = test::ReadTask(R"({"type": "evidence.decide", "drift": [0.1]})");
  CHECK(dynamic_cast<EvidenceDecide&>(*holder->task).dprime == 0);
  // What is written reads back.
  const std::string written = WriteConfig(*holder);
  test::TaskHolder again;
  ReadConfigText(written, "again", {}, again);
  CHECK(WriteConfig(again) == written);

  const auto refused = [](const std::string& fields) {
    return test::ErrorOf(
        [&] { test::ReadTask("{\"type\": \"evidence.decide\", " + fields + "}"); });
  };
  CHECK(refused(R"("drift": [0.1], "dprime": 2)").code == ExitCode::kBadConfig);
  CHECK(refused(R"("drift": [0.1], "dprime": 2)").Says("one of the two"));
  CHECK(refused(R"("dprime": 0)").Says("dprime"));
  CHECK(refused(R"("drift": [0.1, 0.1])").Says("twice"));
  CHECK(refused(R"("drift": [-0.1])").code == ExitCode::kBadConfig);
  CHECK(refused(R"("steps": 0)").code == ExitCode::kBadConfig);
  CHECK(refused(R"("miss": 1)").code == ExitCode::kBadConfig);
  CHECK(refused(R"("sigma": 0)").code == ExitCode::kBadConfig);
  CHECK(refused(R"("delay": -1)").code == ExitCode::kBadConfig);
  CHECK(refused(R"("distractor_sigma": 1)").Says("delay"));
  CHECK(refused(R"("dprim": 1)").Says("dprime"));
}

TEST_CASE("a trial shorter than its delay is refused when it is opened") {
  EvidenceDecide task;
  task.delay = 20;
  const auto thrown = test::ErrorOf([&] { task.Open(1, Split::kTest, 0, {.steps = 20}); });
  CHECK(thrown.code == ExitCode::kBadConfig);
  CHECK(thrown.Says("20"));
}

TEST_CASE("the description holds this configuration's numbers") {
  EvidenceDecide task;
  task.miss = 0.25;
  task.delay = 12;
  const std::string text = task.Describe();
  for (const char* part : {"256", "0.25", "12", "97.72"}) {
    CHECK(text.find(part) != std::string::npos);
  }
}

}  // namespace
