#include "ssm/evaluation/cell_result.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ssm/base/random.h"
#include "ssm/evaluation/verdict.h"

using namespace ssm;

namespace {

Tally MakeTally(const std::string& subject, const std::string& axis, const std::string& label,
                std::vector<double> numerator) {
  const std::vector<double> ones(numerator.size(), 10);
  return {subject, "nmse", axis, label, std::move(numerator), ones};
}

TaskSpec Spec() {
  TaskSpec spec;
  spec.metric = "nmse";
  spec.references = {{"kalman", Role::kCeiling}, {"static", Role::kHeuristic}};
  return spec;
}

/// 100 sequences of weight 10 that share their difficulty: the model is always 5 % above the
/// ceiling, `heuristic` is added to what the model scores.
CellScore CellOf(double heuristic) {
  std::vector<double> ceiling, model, rule;
  Random random(1, RandomStream::kLaw, 0);
  for (int i = 0; i < 100; ++i) {
    const double hard = 10 * random.Uniform(0.1, 0.3);
    ceiling.push_back(hard);
    model.push_back(1.05 * hard);
    rule.push_back(1.05 * hard + 10 * heuristic + (i % 2 == 0 ? 0.1 : -0.1));
  }
  CellScore score;
  score.key.length = 10;
  score.score.tallies = {
      MakeTally("model", "", "", model),       MakeTally("kalman", "", "", ceiling),
      MakeTally("static", "", "", rule),       MakeTally("model", "lag", "2-3", model),
      MakeTally("static", "lag", "2-3", rule), MakeTally("model", "parity", "odd", ceiling)};
  score.score.tallies[0].metric = "nmse";
  score.loss_sum.assign(100, 2);
  score.loss_weight.assign(100, 10);
  score.loss_weight[0] = 0;
  score.loss_sum[0] = 0;
  return score;
}

const std::vector<KnownValue> kKnown = {
    {"nmse", Role::kCeiling, "kalman", 0.2, "closed form, steady state"},
    {"accuracy", Role::kCeiling, "other", 0.9, "another metric"},
    {"nmse", Role::kChance, "prior", 1, "closed form"}};

}  // namespace

TEST_CASE("values are ratios of sums and references keep their labels") {
  const CellResult cell = Summarise(CellOf(0.1), Spec(), kKnown);
  CHECK(cell.value.value == doctest::Approx(0.21).epsilon(0.1));
  CHECK(cell.value.low < cell.value.value);
  CHECK(cell.value.value < cell.value.high);
  CHECK(cell.loss == doctest::Approx(0.2));
  CHECK(cell.sequences == 99);
  REQUIRE(cell.references.size() == 4);
  CHECK(cell.references[0].basis == "closed form, steady state");
  CHECK(std::isnan(cell.references[0].estimate.low));
  CHECK(cell.references[2].measured());
  CHECK(FindReference(cell, Role::kCeiling)->estimate.value == 0.2);
  CHECK(FindPaired(cell, Role::kCeiling)->measured());
  CHECK(FindReference(cell, Role::kChance)->name == "prior");
}

TEST_CASE("the paired excess is exact where the model is a fixed share above the ceiling") {
  const CellResult cell = Summarise(CellOf(0.1), Spec(), kKnown);
  const Interval excess = ExcessOverCeiling(cell);
  CHECK(excess.value == doctest::Approx(0.05));
  CHECK(excess.high - excess.low < 0.01);  // the unpaired interval is ten times as wide
  CHECK((cell.value.high - cell.value.low) / cell.value.value > 0.1);
}

TEST_CASE("groups carry their share and the references on the same steps") {
  const CellResult cell = Summarise(CellOf(0.1), Spec(), kKnown);
  REQUIRE(cell.axes.size() == 2);
  CHECK(cell.axes[0].axis == "lag");
  CHECK(cell.axes[0].groups[0].label == "2-3");
  CHECK(cell.axes[0].groups[0].share == 1);
  REQUIRE(cell.axes[0].groups[0].references.size() == 1);
  CHECK(cell.axes[0].groups[0].references[0].first == "static");
  CHECK(cell.axes[1].groups[0].references.empty());
}

TEST_CASE("a heuristic that is measured is judged as measured") {
  std::vector<KnownValue> known = kKnown;
  known.push_back({"nmse", Role::kHeuristic, "static", 0.01, "closed form"});
  known.push_back({"nmse", Role::kHeuristic, "last seen", 2, "closed form"});
  const CellResult cell = Summarise(CellOf(0.1), Spec(), known);
  REQUIRE(BestHeuristic(cell) != nullptr);
  CHECK(BestHeuristic(cell)->name == "static");
  CHECK(BestHeuristic(cell)->measured());
}

TEST_CASE("a heuristic that is worse than chance is no opponent") {
  CellResult cell;
  cell.higher_is_better = true;
  cell.value = {0.5, 0.45, 0.55};
  cell.sequences = 100;
  const std::string same(kSameSequences);
  cell.references = {{"poor", Role::kHeuristic, same, {0.4, 0.3, 0.5}, {0.1, 0.05, 0.15}},
                     {"guess", Role::kChance, same, {0.5, 0.5, 0.5}, {0, -0.05, 0.05}}};
  CHECK(VerdictOpponent(cell)->name == "guess");
  CHECK(VerdictSentence(cell) == "not separated from chance");
  cell.references[0].estimate.value = 0.6;
  cell.references[0].difference = {-0.1, -0.15, -0.05};
  CHECK(VerdictSentence(cell) == "worse than the best heuristic by its interval");
}

TEST_CASE("verdicts follow the side of zero the whole interval lies on") {
  CHECK(Judge(Summarise(CellOf(0.1), Spec(), kKnown)) == Verdict::kBetter);
  CHECK(Judge(Summarise(CellOf(-0.1), Spec(), kKnown)) == Verdict::kWorse);
  CHECK(Judge(Summarise(CellOf(0), Spec(), kKnown)) == Verdict::kNotSeparated);
  CHECK(VerdictSentence(Summarise(CellOf(0), Spec(), kKnown)) ==
        "not separated from the best heuristic");
  TaskSpec upward = Spec();
  upward.higher_is_better = true;
  CHECK(Judge(Summarise(CellOf(0.1), upward, kKnown)) == Verdict::kWorse);
}

TEST_CASE("without a heuristic chance is the opponent, without either nothing is claimed") {
  TaskSpec spec = Spec();
  spec.references.clear();
  CHECK(VerdictSentence(Summarise(CellOf(0), spec, kKnown)) ==
        "better than chance by its interval");
  CHECK(VerdictSentence(Summarise(CellOf(0), spec, {})) == "nothing to compare with");
  CHECK(std::isnan(ExcessOverCeiling(Summarise(CellOf(0), spec, {})).value));
}

namespace {

/// `n` sequences of weight 10 on which the model scores 1 each, the heuristic 2 each.
CellScore AlikeCell(size_t n) {
  CellScore score;
  score.key.length = 10;
  score.score.tallies = {MakeTally("model", "", "", std::vector<double>(n, 1)),
                         MakeTally("static", "", "", std::vector<double>(n, 2)),
                         MakeTally("model", "lag", "1", std::vector<double>(n, 1))};
  score.loss_sum.assign(n, 1);
  score.loss_weight.assign(n, 10);
  return score;
}

}  // namespace

TEST_CASE("one sequence, or sequences that are all alike, give no interval and no verdict") {
  for (const size_t n : {size_t{1}, size_t{2}, size_t{500}}) {
    CAPTURE(n);
    const CellResult cell = Summarise(AlikeCell(n), Spec(), {});
    CHECK(cell.value.value == 0.1);
    CHECK(std::isnan(cell.value.low));
    CHECK(Judge(cell) == Verdict::kUnknown);
    CHECK(VerdictWord(cell) == "-");
    CHECK(VerdictSentence(cell).starts_with("not judged: the sequences are too few"));
    CHECK(cell.undefined.empty());
  }
}

TEST_CASE("one sequence is never judged, nor against a closed form") {
  CellScore score = AlikeCell(1);
  TaskSpec spec = Spec();
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  for (Tally& tally : score.score.tallies) tally = {tally.subject, "accuracy", "", "", {1}, {1}};
  spec.references.clear();
  const CellResult cell =
      Summarise(score, spec, {{"accuracy", Role::kHeuristic, "rare", 0.1, "closed form"}});
  CHECK(cell.references[0].difference.low > 0);
  CHECK(Judge(cell) == Verdict::kUnknown);
}

TEST_CASE("two sequences that differ are judged by an interval of their own width") {
  CellScore score = AlikeCell(2);
  score.score.tallies[0].numerator = {1, 1.1};
  // The difference is -0.095 on average, 0.01 apart: 12.7 times half of that is 0.0635.
  const CellResult close = Summarise(score, Spec(), {});
  CHECK(Judge(close) == Verdict::kBetter);
  score.score.tallies[0].numerator = {1, 1.5};
  CHECK(Judge(Summarise(score, Spec(), {})) == Verdict::kNotSeparated);
}

TEST_CASE("an interval of errors does not reach below 0, one of signed terms may") {
  CellScore score = AlikeCell(2);
  score.score.tallies[0].numerator = {0, 1};
  CHECK(Summarise(score, Spec(), {}).value.low == 0);
  score.score.tallies[0].numerator = {-1, 2};
  CHECK(Summarise(score, Spec(), {}).value.low < 0);
}

TEST_CASE("always right against always wrong is better, given enough sequences") {
  TaskSpec spec = Spec();
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  const auto cell_of = [&](size_t n) {
    CellScore score = AlikeCell(n);
    const std::vector<double> ones(n, 1), zeros(n, 0);
    score.score.tallies = {{"model", "accuracy", "", "", ones, ones},
                           {"static", "accuracy", "", "", zeros, ones}};
    return Summarise(score, spec, {});
  };
  CHECK(Judge(cell_of(2)) == Verdict::kNotSeparated);
  CHECK(Judge(cell_of(100)) == Verdict::kBetter);
}

TEST_CASE("a target without variance leaves the metric undefined, with the reason") {
  CellScore score = AlikeCell(3);
  for (Tally& tally : score.score.tallies) tally.denominator.assign(3, 0);
  TaskSpec spec = Spec();
  spec.references.push_back({"training mean", Role::kChance});
  score.score.tallies.push_back(MakeTally("training mean", "", "", {1, 2, 3}));
  score.score.tallies.back().denominator.assign(3, 0);
  const CellResult cell = Summarise(score, spec, {});
  CHECK(std::isnan(cell.value.value));
  CHECK(cell.undefined == "the target does not vary in this split, so nmse has no unit");
  CHECK(BestHeuristic(cell) == nullptr);
  CHECK(VerdictWord(cell) == "-");
  CHECK(VerdictSentence(cell) == "not judged: " + cell.undefined);
  CHECK(std::isnan(ExcessOverCeiling(cell).value));
  CHECK(std::isnan(cell.axes[0].groups[0].model.value));
}

TEST_CASE("answers that overflow, and a cell without scored steps, say so") {
  CellScore score = AlikeCell(3);
  score.score.tallies[0].numerator[1] = HUGE_VAL;
  CHECK(Summarise(score, Spec(), {}).undefined == "the model's answers are not all finite");
  CHECK(Judge(Summarise(score, Spec(), {})) == Verdict::kUnknown);
  score.score.tallies.clear();
  CHECK(Summarise(score, Spec(), kKnown).undefined == "no step is scored");
}
