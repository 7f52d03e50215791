#include "ssm/tasks/evidence_switch.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "ssm/tasks/gaussian_evidence.h"
#include "ssm/tasks/stream_laws.h"
#include "ssm/tasks/switch_scorer.h"
#include "ssm/tasks/telegraph_filter.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

/// NaN where there is none.
double Ratio(const Score& score, const std::string& subject, const std::string& metric) {
  for (const Tally& t : score.tallies) {
    if (t.subject != subject || t.metric != metric || !t.axis.empty()) continue;
    return std::accumulate(t.numerator.begin(), t.numerator.end(), 0.0) /
           std::accumulate(t.denominator.begin(), t.denominator.end(), 0.0);
  }
  return std::nan("");
}

double Known(const Task& task, size_t i) { return task.Known(Split::kTest, {})[i].value; }

/// NaN where it is not known.
double KnownOf(const Task& task, const std::string& name) {
  for (const KnownValue& k : task.Known(Split::kTest, {})) {
    if (k.name == name) return k.value;
  }
  return std::nan("");
}

TEST_CASE("the laws of streams, over the knobs of evidence.switch") {
  const char* configs[] = {
      R"({"type": "evidence.switch", "hazard": 0.05})",
      R"({"type": "evidence.switch", "hazard": 0.02, "drift": 0.2, "miss": 0.5, "steps": 200})",
      R"({"type": "evidence.switch", "hazard": 0.1, "sigma": 2, "irregular": true, "steps": 60})",
      R"({"type": "evidence.switch", "hazard": 0.4, "drift": 3, "miss": 0.9, "irregular": true,
          "steps": 9})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const double dt_scale : {1.0, 2.5}) {
      for (const StreamLawResult& law :
           CheckStreams(*holder->task, Split::kTest, {.dt_scale = dt_scale}, 11, 400)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("accuracy of the exact filter, against two million steps of simulation") {
  struct Row {
    double hazard, drift, accuracy[3];  // none missing, half, nine in ten
  };
  const Row rows[] = {
      {0.001, 0.2, {0.9470, 0.9126, 0.7943}}, {0.001, 0.5, {0.9879, 0.9776, 0.9220}},
      {0.01, 0.2, {0.7979, 0.7393, 0.6213}},  {0.01, 0.5, {0.9292, 0.8851, 0.7461}},
      {0.05, 0.5, {0.8255, 0.7563, 0.6140}},
  };
  constexpr double kMiss[] = {0, 0.5, 0.9};
  for (const Row& row : rows) {
    for (int i = 0; i < 3; ++i) {
      EvidenceSwitch task;
      task.hazard = row.hazard;
      task.drift = row.drift;
      task.miss = kMiss[i];
      CAPTURE(row.hazard);
      CAPTURE(row.drift);
      CAPTURE(task.miss);
      const double p = row.accuracy[i];
      // Two million steps hold 2e6 hazard runs of one side.
      const double error = std::sqrt(p * (1 - p) / (2e6 * row.hazard));
      CHECK(std::fabs(Known(task, 0) - p) < 3 * error);
      CHECK(task.Known(Split::kTest, {})[0].name == "exact log-odds");
      // The best linear leak is nearly as good, where it is known.
      const double leaky = KnownOf(task, task.Spec().references[3].name);
      if (std::isnan(leaky)) continue;
      CHECK(leaky < Known(task, 0));
      CHECK(leaky > Known(task, 0) - 0.012);
    }
  }
}

TEST_CASE("steady accuracies where they are known in closed form") {
  // Nothing is kept: the newest sample alone, right with Phi(mean / sd), half where none is shown.
  SideChain chain;
  chain.carry = [](double v) { return 0 * v; };
  chain.hazard = 0.1;
  chain.mean = 0.7;
  chain.sd = 1.3;
  CHECK(SteadyAccuracy(chain).value() == doctest::Approx(Phi(0.7 / 1.3)).epsilon(1e-9));
  // Almost no switches: a leaky integrator of a constant mean.
  chain.carry = [](double v) { return 0.8 * v; };
  chain.hazard = 1e-12;
  chain.reach = 0.8 * (0.7 / 0.2 + 8 * 1.3 / 0.6);
  const double deviation = 1.3 / 0.6;
  CHECK(SteadyAccuracy(chain).value() == doctest::Approx(Phi(3.5 / deviation)).epsilon(1e-6));
  chain.reach = 1e9;
  CHECK_FALSE(SteadyAccuracy(chain).has_value());
  CHECK(HazardPrior(0, 0.3) == 0);
  CHECK(HazardPrior(1e9, 0.2) == doctest::Approx(std::log(4)));
  CHECK(HazardPrior(-1.5, 0.2) ==
        doctest::Approx(-std::log((0.8 * std::exp(1.5) + 0.2) / (0.8 + 0.2 * std::exp(1.5)))));
  CHECK(HazardOver(0.2, 2) == doctest::Approx(2 * 0.2 * 0.8));
}

/// Log-odds of the side at step t by brute force: every path of sides in turn.
double BruteLogOdds(const EvidenceSwitch& task, const TaskPiece& piece, int64_t t) {
  const int64_t channels = task.miss > 0 ? 2 : 1;
  double odds[2] = {};
  for (int64_t path = 0; path < (int64_t{1} << (t + 1)); ++path) {
    double weight = 0.5;
    for (int64_t k = 0; k <= t; ++k) {
      const double side = (path >> k & 1) == 1 ? 1 : -1;
      if (k > 0) {
        const double gap = task.irregular ? piece.dt[k] : 1;
        const double flip = (1 - std::pow(1 - 2 * task.hazard, gap)) / 2;
        weight *= ((path >> k ^ path >> (k - 1)) & 1) == 1 ? flip : 1 - flip;
      }
      if (channels == 2 && piece.reals[k * channels + 1] == 0) continue;
      const double z = (piece.reals[k * channels] - side * task.drift) / task.sigma;
      weight *= std::exp(-z * z / 2);
    }
    odds[path >> t & 1] += weight;
  }
  return std::log(odds[1] / odds[0]);
}

TEST_CASE("the exact log-odds at every step, over all paths of sides") {
  for (const bool irregular : {false, true}) {
    for (const double miss : {0.0, 0.4}) {
      EvidenceSwitch task;
      task.hazard = 0.3;
      task.drift = 0.8;
      task.sigma = 1.2;
      task.miss = miss;
      task.irregular = irregular;
      task.steps = 12;
      for (int64_t i = 0; i < 5; ++i) {
        const TaskPiece piece = DrawSequence(task, i);
        const int64_t references = std::ssize(task.Spec().references);
        for (int64_t t = 0; t < 12; ++t) {
          CHECK(piece.latents[2 * t] ==
                doctest::Approx(BruteLogOdds(task, piece, t)).epsilon(1e-9));
          CHECK(piece.references[t * references] == piece.latents[2 * t]);
          CHECK(piece.targets[t] == piece.latents[2 * t + 1]);
          CHECK(piece.weights[t] == (t >= 10 ? 1 : 0));
        }
      }
    }
  }
}

TEST_CASE("sides flip as often as the hazard says, and lags count from there") {
  EvidenceSwitch task;
  task.hazard = 0.02;
  task.steps = 4000;
  double flips = 0, steps = 0;
  for (int64_t i = 0; i < 20; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    for (int64_t t = 1; t < piece.steps; ++t) {
      const bool flipped = piece.targets[t] != piece.targets[t - 1];
      CHECK(piece.lags[t] == (flipped ? 0 : piece.lags[t - 1] + 1));
      flips += flipped ? 1 : 0;
      ++steps;
    }
  }
  CHECK(std::fabs(flips / steps - 0.02) < 5 * std::sqrt(0.02 * 0.98 / steps));
}

TEST_CASE("kl and latency of a piece worked out by hand, however it is cut") {
  EvidenceSwitch task;
  const TaskSpec spec = task.Spec();
  const int64_t references = std::ssize(spec.references);
  const double side[] = {1, 1, 0, 0, 0, 1, 0, 0};
  const double weight[] = {0, 1, 1, 1, 1, 1, 1, 1};
  const double model[] = {9, 2, 2, 0, -1, -1, 3, 1};  // tells switch 1 after 2, 2 and 3 never
  const double exact[] = {9, 2, -2, -2, -2, 2, 1, -2};
  for (const int64_t cut : {8, 3, 1}) {
    SwitchScorer scorer(spec);
    for (int64_t from = 0; from < 8; from += cut) {
      TaskPiece piece;
      piece.rows = 1;
      piece.steps = std::min<int64_t>(cut, 8 - from);
      piece.targets = Array<double>(Shape{1, piece.steps, 1});
      piece.weights = Array<double>(Shape{1, piece.steps});
      piece.references = Array<double>(Shape{1, piece.steps, references, 1});
      piece.lags = IntArray(Shape{1, piece.steps});
      for (int64_t t = 0; t < piece.steps; ++t) {
        piece.targets[t] = side[from + t];
        piece.weights[t] = weight[from + t];
        piece.references[t * references] = exact[from + t];
      }
      scorer.Add(0, piece, model + from);
    }
    const Score score = scorer.Finish();
    // Three switches at scored steps: 2 steps; 1 until the next; 2 until the end.
    CHECK(Ratio(score, "model", "latency") == doctest::Approx(5.0 / 3));
    CHECK(Ratio(score, "exact log-odds", "latency") == doctest::Approx(1.0 / 3));
    CHECK(Ratio(score, "chance", "latency") == doctest::Approx(6.0 / 3));
    double kl = 0;
    for (int64_t t = 1; t < 8; ++t) kl += BernoulliDivergence(exact[t], model[t]) / 7;
    CHECK(Ratio(score, "model", "kl") == doctest::Approx(kl).epsilon(1e-14));
    CHECK(Ratio(score, "exact log-odds", "kl") == 0);
  }
}

TEST_CASE("divergence of Bernoulli laws from their log-odds") {
  const double p = 1 / (1 + std::exp(-0.7));
  const double q = 1 / (1 + std::exp(1.9));
  CHECK(BernoulliDivergence(0.7, -1.9) ==
        doctest::Approx(p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q))));
  CHECK(BernoulliDivergence(3, 3) == 0);
  CHECK(BernoulliDivergence(800, -800) == doctest::Approx(800));
  CHECK(BernoulliDivergence(0, 800) == doctest::Approx(400 - std::log(2)));
}

TEST_CASE("the cross-entropy above that of the exact filter is the divergence") {
  EvidenceSwitch task;
  task.steps = 2000;
  Workers workers(1);
  BatchReader reader(task, workers);
  const std::unique_ptr<Scorer> scorer = task.MakeScorer(Split::kTest);
  TaskPiece piece;
  reader.Open(7, Split::kTest, 0, 200, {.detail = Detail::kScoring});
  while (reader.Next(500, &piece)) {
    scorer->Add(0, piece, std::vector<double>(static_cast<size_t>(piece.rows * 500), 0.0).data());
  }
  const Score score = scorer->Finish();
  const std::string leaky = task.Spec().references[3].name;
  const double above = Ratio(score, leaky, "bce") - Ratio(score, "exact log-odds", "bce");
  CHECK(Ratio(score, leaky, "kl") == doctest::Approx(above).epsilon(0.1));
  // Nearly as often right, but slower to tell a switch and unsure of what it knows.
  CHECK(Ratio(score, leaky, "accuracy") > Ratio(score, "exact log-odds", "accuracy") - 0.01);
  CHECK(Ratio(score, leaky, "kl") > 0.01);
  CHECK(Ratio(score, "model", "kl") > 5 * Ratio(score, leaky, "kl"));
}

TEST_CASE("what evidence.switch refuses, and what it says") {
  const auto refused = [](const std::string& fields) {
    return test::ErrorOf(
        [&] { test::ReadTask("{\"type\": \"evidence.switch\", " + fields + "}"); });
  };
  CHECK(refused(R"("hazard": 0.5)").code == ExitCode::kBadConfig);
  CHECK(refused(R"("hazard": 0)").code == ExitCode::kBadConfig);
  CHECK(refused(R"("hazard": 0.01, "steps": 300)").Says("300 steps: ask for more"));
  EvidenceSwitch task;
  CHECK(test::ErrorOf([&] {
          task.Open(1, Split::kTest, 0, {.steps = 300});
        }).Says("end before scoring starts"));
  CHECK(task.Describe().find("exact log-odds: 92.89") != std::string::npos);
  task.irregular = true;  // the exact filter's accuracy is not known in advance
  CHECK(task.Describe().find("exact log-odds:") == std::string::npos);
}

}  // namespace
