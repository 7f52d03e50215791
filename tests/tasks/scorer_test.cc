#include "ssm/tasks/scorer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "ssm/tasks/batch.h"

namespace {

using namespace ssm;  // NOLINT

const Tally* Find(const Score& score, const std::string& subject, const std::string& metric,
                  const std::string& axis = "", const std::string& label = "") {
  for (const Tally& tally : score.tallies) {
    if (tally.subject == subject && tally.metric == metric && tally.axis == axis &&
        tally.label == label) {
      return &tally;
    }
  }
  return nullptr;
}

double Ratio(const Tally* tally) {
  REQUIRE(tally != nullptr);
  return std::accumulate(tally->numerator.begin(), tally->numerator.end(), 0.0) /
         std::accumulate(tally->denominator.begin(), tally->denominator.end(), 0.0);
}

TEST_CASE("octaves of lags") {
  const char* labels[] = {"0", "1", "2-3", "2-3", "4-7", "4-7", "4-7", "4-7", "8-15"};
  for (int64_t lag = 0; lag < 9; ++lag) CHECK(LagOctaveLabel(LagOctave(lag)) == labels[lag]);
  CHECK(LagOctaveLabel(LagOctave(65536)) == "65536-131071");
  CHECK_THROWS(LagOctave(-1));
}

TEST_CASE("octaves of steps end at powers of two") {
  const char* labels[] = {"1", "2", "3-4", "3-4", "5-8", "5-8", "5-8", "5-8", "9-16"};
  for (int64_t step = 0; step < 9; ++step) {
    CHECK(StepOctaveLabel(StepOctave(step)) == labels[step]);
  }
  CHECK(StepOctaveLabel(StepOctave(65535)) == "32769-65536");
}

TEST_CASE("steps are counted through the pieces of a sequence, padding left out") {
  TaskSpec spec;
  spec.metric = "nmse";
  TaskPiece piece;
  ShapePiece(spec, Detail::kScoring, 2, 3, &piece);
  piece.weights.Fill(1);
  piece.lengths = IntArray(Shape{2});
  piece.lengths[0] = 3;
  piece.lengths[1] = 2;
  const double y[] = {1, 2, 3, 4, 5, 100};
  ObjectiveScorer scorer(spec);
  scorer.Add(0, piece, y);
  scorer.Add(0, piece, y);  // sequence 0 reads 1 2 3 1 2 3, sequence 1 reads 4 5 4 5
  const Score score = scorer.Finish();
  const auto of = [&](const char* label) { return Find(score, "model", "nmse", "step", label); };
  REQUIRE(of("1") != nullptr);
  CHECK(of("1")->numerator == std::vector<double>{1, 16});
  CHECK(of("2")->numerator == std::vector<double>{4, 25});
  CHECK(of("3-4")->numerator == std::vector<double>{9 + 1, 16 + 25});
  CHECK(of("3-4")->denominator == std::vector<double>{2, 2});
  CHECK(of("5-8")->numerator == std::vector<double>{4 + 9, 0});
  CHECK(of("9-16") == nullptr);
}

TEST_CASE("scores of one octave of steps are not split") {
  TaskSpec spec;
  spec.metric = "nmse";
  TaskPiece piece;
  ShapePiece(spec, Detail::kScoring, 1, 8, &piece);
  piece.weights[5] = 1;
  piece.weights[7] = 1;
  const double y[8] = {};
  ObjectiveScorer scorer(spec);
  scorer.Add(0, piece, y);
  for (const Tally& tally : scorer.Finish().tallies) CHECK(tally.axis.empty());
}

TEST_CASE("nmse: weighted squares over weighted variance, by sequence, lag and stratum") {
  TaskSpec spec;
  spec.metric = "nmse";
  spec.references = {{"half", Role::kHeuristic}};
  spec.has_lags = true;
  spec.strata = {{"side", {"left", "right"}}};
  TaskPiece piece;
  ShapePiece(spec, Detail::kScoring, 2, 2, &piece);
  const double targets[] = {1, 2, 3, 4};
  const double weights[] = {1, 0, 2, 1};
  const int64_t lags[] = {0, 7, 3, -1};
  const int64_t strata[] = {0, 1, 1, 0};
  for (int64_t i = 0; i < 4; ++i) {
    piece.targets[i] = targets[i];
    piece.weights[i] = weights[i];
    piece.lags[i] = lags[i];
    piece.strata[i] = strata[i];
    piece.references[i] = targets[i] / 2;
  }
  const double y[] = {0, std::nan(""), 1, 4};  // nothing is read where the weight is 0
  ObjectiveScorer scorer(spec, {4.0});
  scorer.Add(5, piece, y);
  const Score score = scorer.Finish();

  const Tally* model = Find(score, "model", "nmse");
  REQUIRE(model != nullptr);
  REQUIRE(model->numerator.size() == 7);
  CHECK(model->numerator[4] == 0);
  CHECK(model->denominator[4] == 0);
  CHECK(model->numerator[5] == 1);
  CHECK(model->denominator[5] == 4);
  CHECK(model->numerator[6] == 8);
  CHECK(model->denominator[6] == 12);
  CHECK(Ratio(Find(score, "model", "mse")) == 9.0 / 4);
  CHECK(Ratio(Find(score, "half", "nmse")) == (0.25 + 2 * 2.25 + 4) / 16);
  CHECK(Ratio(Find(score, "model", "nmse", "lag", "0")) == 0.25);
  CHECK(Ratio(Find(score, "model", "nmse", "lag", "2-3")) == 1);
  CHECK(Find(score, "model", "nmse", "lag", "4-7") == nullptr);
  CHECK(Ratio(Find(score, "model", "nmse", "side", "left")) == 0.125);
  CHECK(Ratio(Find(score, "model", "nmse", "side", "right")) == 1);
}

TEST_CASE("pieces of a sequence add up, in any order of sets") {
  TaskSpec spec;
  spec.metric = "nmse";
  TaskPiece piece;
  ShapePiece(spec, Detail::kScoring, 1, 3, &piece);
  piece.weights.Fill(1);
  piece.lengths = IntArray(Shape{1});
  piece.lengths[0] = 2;  // the third step is padding
  const double y[] = {1, 2, 100};
  ObjectiveScorer scorer(spec);
  scorer.Add(1, piece, y);
  scorer.Add(0, piece, y);
  scorer.Add(1, piece, y);
  const Score score = scorer.Finish();
  const Tally* model = Find(score, "model", "nmse");
  REQUIRE(model != nullptr);
  CHECK(model->numerator == std::vector<double>{5, 10});
  CHECK(model->denominator == std::vector<double>{2, 4});
}

TEST_CASE("weights per output leave missing targets out") {
  TaskSpec spec;
  spec.metric = "nmse";
  spec.outputs = 2;
  spec.weights_per_output = true;
  TaskPiece piece;
  ShapePiece(spec, Detail::kScoring, 1, 1, &piece);
  piece.targets[0] = std::nan("");
  piece.targets[1] = 1;
  piece.weights[1] = 1;
  const double y[] = {7, 3};
  ObjectiveScorer scorer(spec, {2.0, 8.0});
  scorer.Add(0, piece, y);
  CHECK(Ratio(Find(scorer.Finish(), "model", "nmse")) == 0.5);
}

TEST_CASE("binary answers: hits, half for no answer, loss in nats") {
  TaskSpec spec;
  spec.metric = "accuracy";
  spec.objective = Objective::kBinaryCrossEntropy;
  TaskPiece piece;
  ShapePiece(spec, Detail::kScoring, 1, 4, &piece);
  piece.weights.Fill(1);
  piece.targets[0] = piece.targets[2] = 1;
  const double y[] = {2, -3, 0, 800};
  ObjectiveScorer scorer(spec);
  scorer.Add(0, piece, y);
  const Score score = scorer.Finish();
  CHECK(Ratio(Find(score, "model", "accuracy")) == 2.5 / 4);
  const double nats = std::log1p(std::exp(-2.0)) + std::log1p(std::exp(-3.0)) + std::log(2.0) + 800;
  CHECK(Ratio(Find(score, "model", "bce")) == doctest::Approx(nats / 4).epsilon(1e-14));
}

TEST_CASE("classes: the largest logit, ties shared, loss in nats") {
  TaskSpec spec;
  spec.metric = "accuracy";
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = 3;
  TaskPiece piece;
  ShapePiece(spec, Detail::kScoring, 1, 3, &piece);
  CHECK(piece.targets.shape() == Shape{1, 3, 1});
  piece.weights.Fill(1);
  piece.targets[0] = 2;
  piece.targets[1] = 0;
  piece.targets[2] = 1;
  const double y[] = {0, 1, 5, 4, 4, 4, 1000, -1000, 0};
  ObjectiveScorer scorer(spec);
  scorer.Add(0, piece, y);
  const Score score = scorer.Finish();
  CHECK(Ratio(Find(score, "model", "accuracy")) ==
        doctest::Approx((1 + 1.0 / 3) / 3).epsilon(1e-15));
  const double first = std::log(std::exp(-5.0) + std::exp(-4.0) + 1);
  CHECK(Ratio(Find(score, "model", "cross_entropy")) ==
        doctest::Approx((first + std::log(3.0) + 2000) / 3).epsilon(1e-14));
}

TEST_CASE("an answer that is no number spoils the score") {
  for (const Objective objective : {Objective::kSquaredError, Objective::kBinaryCrossEntropy,
                                    Objective::kSoftmaxCrossEntropy}) {
    TaskSpec spec;
    spec.metric = "m";
    spec.objective = objective;
    spec.outputs = 2;
    TaskPiece piece;
    ShapePiece(spec, Detail::kScoring, 1, 1, &piece);
    piece.weights.Fill(1);
    const double y[] = {1, std::nan("")};
    ObjectiveScorer scorer(spec);
    scorer.Add(0, piece, y);
    CHECK(std::isnan(Ratio(Find(scorer.Finish(), "model", "m"))));
  }
}

}  // namespace
