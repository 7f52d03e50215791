#include "ssm/statistics/hierarchical_bootstrap.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "ssm/base/random.h"

namespace {

using namespace ssm;  // NOLINT

ClusterSums Sums(std::vector<double> numerator) {
  return {numerator, std::vector<double>(numerator.size(), 1.0)};
}

TEST_CASE("units without any spread inside: the bootstrap of the units' differences") {
  // Sequences are alike inside a unit, so only units vary: differences 0.1 and 0.5. Resampled means
  // are 0.1, 0.3 and 0.5 with probabilities 1/4, 1/2, 1/4.
  const ClusterSums a = Sums({0.6, 0.6, 0.6});
  const ClusterSums b = Sums({0.5, 0.5, 0.5});
  const ClusterSums c = Sums({1, 1, 1});
  const std::vector<UnitPair> pairs = {{&a, &b}, {&c, &b}};
  for (const ClusterDraw draw : {ClusterDraw::kNested, ClusterDraw::kCrossed}) {
    const Interval all = HierarchicalDifference(pairs, draw, 3);
    CHECK(all.value == doctest::Approx(0.3));
    CHECK(all.low == doctest::Approx(0.1));
    CHECK(all.high == doctest::Approx(0.5));
    const Interval middle = HierarchicalDifference(pairs, draw, 3, 0.4);
    CHECK(middle.low == doctest::Approx(0.3));
    CHECK(middle.high == doctest::Approx(0.3));
  }
}

TEST_CASE("crossed sequences keep what units share, nested ones average it away") {
  // Every unit has the same differences by sequence, variance s^2 = 2/3 over {1, 2, 3}. Crossed: a
  // resampled mean is that of one draw of 3 sequences, so it reaches 1 and 3 (each 1 in 27). Nested
  // in 16 units: 48 independent draws, standard error sqrt(2/3/48) = 0.118.
  const ClusterSums a = Sums({1, 2, 3});
  const ClusterSums b = Sums({0, 0, 0});
  const std::vector<UnitPair> pairs(16, UnitPair{&a, &b});
  const Interval crossed = HierarchicalDifference(pairs, ClusterDraw::kCrossed, 1);
  CHECK(crossed.low == 1);
  CHECK(crossed.high == 3);
  const Interval nested = HierarchicalDifference(pairs, ClusterDraw::kNested, 1);
  CHECK(nested.low == doctest::Approx(2 - 1.96 * 0.11785).epsilon(0.02));
  CHECK(nested.high == doctest::Approx(2 + 1.96 * 0.11785).epsilon(0.02));
}

TEST_CASE("the variances of units and of sequences add") {
  // Differences normal between units (sd 0.2) and between sequences (sd 1): the mean of 60 x 40 has
  // the standard error sqrt(0.04 / 60 + 1 / 2400), for which both observed variances stand in.
  constexpr size_t kUnits = 60;
  constexpr size_t kClusters = 40;
  Random random(11, RandomStream::kLaw, 2);
  std::vector<ClusterSums> units(kUnits);
  const ClusterSums zero = Sums(std::vector<double>(kClusters, 0.0));
  std::vector<UnitPair> pairs;
  double between = 0;
  double within = 0;
  std::vector<double> means;
  for (ClusterSums& unit : units) {
    std::vector<double> values(kClusters);
    const double centre = 0.2 * random.Normal();
    for (double& value : values) value = centre + random.Normal();
    unit = Sums(values);
    means.push_back(unit.Ratio());
    for (const double value : values) within += (value - means.back()) * (value - means.back());
    pairs.push_back({&unit, &zero});
  }
  double mean = 0;
  for (const double each : means) mean += each / kUnits;
  for (const double each : means) between += (each - mean) * (each - mean);
  const double error =
      std::sqrt(between / (kUnits * kUnits) + within / (kUnits * kUnits * kClusters * kClusters));
  const Interval found = HierarchicalDifference(pairs, ClusterDraw::kNested, 1);
  CHECK(found.value == doctest::Approx(mean));
  CHECK((found.high - found.low) / (2 * 1.96) == doctest::Approx(error).epsilon(0.03));
}

TEST_CASE("ratios weigh sequences by their denominators, and units alike") {
  const ClusterSums a{{1, 9}, {1, 9}};  // 1
  const ClusterSums b{{0, 9}, {1, 9}};  // 0.9
  const ClusterSums c{{1}, {2}};        // 0.5
  const ClusterSums d{{2}, {2}};        // 1
  const std::vector<UnitPair> pairs = {{&a, &b}, {&c, &d}};
  CHECK(b.Ratio() == 0.9);
  CHECK(HierarchicalDifference(pairs, ClusterDraw::kNested, 1).value == doctest::Approx(-0.2));
}

TEST_CASE("the same seed gives the same bits, another seed others") {
  const ClusterSums a = Sums({0.3, 0.5, 0.8, 0.1});
  const ClusterSums b = Sums({0.2, 0.6, 0.4, 0.3});
  const ClusterSums c = Sums({0.9, 0.7, 0.5, 0.2});
  const std::vector<UnitPair> pairs = {{&a, &b}, {&b, &c}, {&c, &a}};
  const auto run = [&](uint64_t seed) {
    return HierarchicalDifference(pairs, ClusterDraw::kNested, seed, 0.9, 501);
  };
  CHECK(run(4).low == run(4).low);
  CHECK(run(4).high == run(4).high);
  CHECK((run(4).low != run(5).low || run(4).high != run(5).high));
}

TEST_CASE("no interval from one pair, nor from resamples that are all alike") {
  const ClusterSums a = Sums({1, 1});
  const ClusterSums b = Sums({0, 0});
  const ClusterSums none{{0, 0}, {0, 0}};
  const std::vector<UnitPair> one = {{&a, &b}};
  CHECK(HierarchicalDifference(one, ClusterDraw::kNested, 1).value == 1);
  CHECK(std::isnan(HierarchicalDifference(one, ClusterDraw::kNested, 1).low));
  const std::vector<UnitPair> alike(3, UnitPair{&a, &b});
  CHECK(std::isnan(HierarchicalDifference(alike, ClusterDraw::kNested, 1).low));
  const std::vector<UnitPair> same(3, UnitPair{&a, &a});
  CHECK(HierarchicalDifference(same, ClusterDraw::kNested, 1).high == 0);
  const std::vector<UnitPair> undefined(3, UnitPair{&a, &none});
  CHECK(std::isnan(HierarchicalDifference(undefined, ClusterDraw::kNested, 1).value));
  CHECK(std::isnan(HierarchicalDifference({}, ClusterDraw::kNested, 1).value));
}

}  // namespace
