#include "ssm/statistics/intervals.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/statistics/distributions.h"

namespace {

using namespace ssm;  // NOLINT

void CheckInterval(const Interval& found, double low, double high, double tolerance) {
  CHECK(std::fabs(found.low - low) <= tolerance);
  CHECK(std::fabs(found.high - high) <= tolerance);
}

TEST_CASE("Wilson and Clopper-Pearson as published") {
  // Newcombe 1998, Statistics in Medicine 17:857, table I.
  CheckInterval(Wilson(81, 263), 0.2553, 0.3662, 5e-5);
  CheckInterval(Wilson(15, 148), 0.0624, 0.1605, 5e-5);
  CheckInterval(Wilson(0, 20), 0, 0.1611, 5e-5);
  CheckInterval(Wilson(1, 29), 0.0061, 0.1718, 5e-5);
  CheckInterval(ClopperPearson(81, 263), 0.2527, 0.3676, 5e-5);
  CheckInterval(ClopperPearson(15, 148), 0.0578, 0.1617, 5e-5);
  CheckInterval(ClopperPearson(0, 20), 0, 0.1684, 5e-5);
  CheckInterval(ClopperPearson(1, 29), 0.0009, 0.1776, 5e-5);
  // Success rates of ten seeds.
  CheckInterval(ClopperPearson(10, 10), 0.6915, 1, 5e-5);
  CheckInterval(ClopperPearson(7, 10), 0.3475, 0.9333, 5e-5);
  CheckInterval(ClopperPearson(0, 10), 0, 0.3085, 5e-5);
}

TEST_CASE("intervals of a proportion at its ends") {
  const Interval all = ClopperPearson(10, 10);
  CHECK(all.high == 1);
  CHECK(std::fabs(all.low - std::pow(0.025, 0.1)) < 1e-13);
  CHECK(Wilson(10, 10).high == 1);
  CHECK(Wilson(0, 10).low == 0);
  CHECK(std::isnan(Wilson(0, 0).value));
  CheckInterval(ClopperPearson(0, 0), 0, 1, 0);
  CHECK_THROWS(ClopperPearson(3, 2));
  CHECK_THROWS(Wilson(1, 2, 1.0));
}

TEST_CASE("a ratio over clusters by hand") {
  // n = (1, 2, 6), d = (1, 1, 2): R = 9/4, e = (-5/4, -1/4, 3/2), sum e^2 = 31/8,
  // variance = 3/2 * 31/8 / 16.
  const std::vector<double> n{1, 2, 6};
  const std::vector<double> d{1, 1, 2};
  const Interval found = RatioOfSums(n, d);
  CHECK(found.value == 2.25);
  const double half = StudentQuantile(0.975, 2) * std::sqrt(1.5 * 31 / 8 / 16);
  CheckInterval(found, 2.25 - half, 2.25 + half, 1e-13);
}

TEST_CASE("a ratio with equal denominators is the t interval of a mean") {
  // Student's sleep data (Student 1908): differences of the ten patients; t.test gives
  // [0.7001142, 2.4598858].
  const std::vector<double> n{1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4};
  const std::vector<double> d(10, 1.0);
  const Interval found = RatioOfSums(n, d);
  CHECK(found.value == doctest::Approx(1.58).epsilon(1e-14));
  CheckInterval(found, 0.7001142, 2.4598858, 5e-8);
}

TEST_CASE("clusters without a denominator do not count") {
  const std::vector<double> n{1, 0, 2, 6, 0};
  const std::vector<double> d{1, 0, 1, 2, 0};
  const Interval with = RatioOfSums(n, d);
  const Interval without = RatioOfSums(std::vector<double>{1, 2, 6}, std::vector<double>{1, 1, 2});
  CHECK(with.low == without.low);
  CHECK(with.high == without.high);
}

TEST_CASE("fewer than two clusters give no interval") {
  const std::vector<double> one{3};
  CHECK(RatioOfSums(one, one).value == 1);
  CHECK(std::isnan(RatioOfSums(one, one).low));
  CHECK(std::isnan(RatioOfSums({}, {}).value));
  CHECK(std::isnan(PairedDifference(one, one, one, one).high));
  CHECK_THROWS(RatioOfSums(one, {}));
}

TEST_CASE("clusters that are all alike give no interval, a real spread does, however small") {
  const std::vector<double> three(5, 3);
  const std::vector<double> two(5, 2);
  CHECK(RatioOfSums(three, two).value == 1.5);
  CHECK(std::isnan(RatioOfSums(three, two).low));
  // 0.7 d is not exact in binary: what is left is rounding, no spread.
  const std::vector<double> d{1, 3, 7, 11, 13, 1e6};
  std::vector<double> n;
  for (const double x : d) n.push_back(0.7 * x);
  CHECK(std::isnan(RatioOfSums(n, d).high));
  const Interval close = RatioOfSums(std::vector<double>{1, 1 + 1e-9}, std::vector<double>{1, 1});
  // t with one degree of freedom times half the gap.
  CHECK(close.high - close.value == doctest::Approx(12.7062 * 0.5e-9).epsilon(1e-4));
}

TEST_CASE("without a denominator there is no value") {
  const std::vector<double> n{1, 2, 3};
  const std::vector<double> zero(3, 0);
  CHECK(std::isnan(RatioOfSums(n, zero).value));
  CHECK(std::isnan(PairedDifference(n, zero, zero, zero).value));
  CHECK(std::isnan(PairedDifference(n, zero, zero, zero).low));
  CHECK(std::isnan(ProportionDifference(n, zero, zero, zero).low));
}

TEST_CASE("a difference that is the same in every cluster is no certainty") {
  const std::vector<double> three{3, 3, 3};
  const std::vector<double> one{1, 1, 1};
  const Interval constant = PairedDifference(three, one, one, one);
  CHECK(constant.value == 2);
  CHECK(std::isnan(constant.low));
  const Interval none = PairedDifference(three, one, three, one);
  CHECK(none.low == 0);
  CHECK(none.high == 0);
}

TEST_CASE("all right against all wrong is known as well as the number of sequences allows") {
  const auto difference = [](size_t sequences) {
    const std::vector<double> right(sequences, 1);
    const std::vector<double> wrong(sequences, 0);
    return ProportionDifference(right, right, wrong, right);
  };
  CHECK(std::isnan(difference(1).low));
  // n / (n + t^2) below 1, and as far above 0: t is 12.7062 for two sequences, 2.57058 for six.
  CHECK(difference(2).low == doctest::Approx(-0.39691).epsilon(1e-4));
  CHECK(difference(6).low == doctest::Approx(0.25880).epsilon(1e-4));
  CHECK(difference(4096).low > 0.998);
  CHECK(difference(4096).high == 1);
}

TEST_CASE("a difference of proportions that vary is the paired one") {
  const std::vector<double> a{1, 0, 1, 1, 0, 1};
  const std::vector<double> b{0, 0, 1, 0, 1, 0};
  const std::vector<double> one(6, 1);
  const Interval found = ProportionDifference(a, one, b, one);
  const Interval paired = PairedDifference(a, one, b, one);
  CHECK(found.low == paired.low);
  CHECK(found.high == paired.high);
}

TEST_CASE("one label a sequence is the plain Wilson interval") {
  std::vector<double> correct(148, 0.0);
  std::fill_n(correct.begin(), 15, 1.0);
  const std::vector<double> labels(148, 1.0);
  const Interval clustered = ClusteredProportion(correct, labels);
  const Interval plain = Wilson(15, 148);
  CHECK(clustered.low == plain.low);
  CHECK(clustered.high == plain.high);
}

TEST_CASE("labels that all agree inside a sequence count once") {
  // 100 sequences of 8 equal labels: the design effect is 8 * 100 / 99.
  std::vector<double> correct(100, 0.0);
  std::fill_n(correct.begin(), 70, 8.0);
  const std::vector<double> labels(100, 8.0);
  const Interval found = ClusteredProportion(correct, labels);
  const double n = 99;
  const double t = StudentQuantile(0.975, 99);
  const double centre = (0.7 + t * t / n / 2) / (1 + t * t / n);
  const double half = t * std::sqrt(0.21 / n + t * t / n / n / 4) / (1 + t * t / n);
  CheckInterval(found, centre - half, centre + half, 1e-12);
}

TEST_CASE("a perfect score over few sequences stays modest") {
  const std::vector<double> eights(10, 8.0);
  const Interval found = ClusteredProportion(eights, eights);
  CHECK(found.value == 1);
  CHECK(found.high == 1);
  CHECK(found.low < Wilson(10, 10).low);
}

TEST_CASE("independent labels keep the width of the plain interval, never less") {
  std::vector<double> correct(400);
  const std::vector<double> labels(400, 4.0);
  Random random(3, RandomStream::kLaw, 0);
  double total = 0;
  for (double& c : correct) {
    for (int k = 0; k < 4; ++k) c += random.Bernoulli(0.8) ? 1 : 0;
    total += c;
  }
  const Interval clustered = ClusteredProportion(correct, labels);
  const Interval plain = Wilson(total, 1600);
  const double ratio = (clustered.high - clustered.low) / (plain.high - plain.low);
  CHECK(ratio >= 1);
  CHECK(ratio < 1.15);
}

TEST_CASE("a paired difference is the interval of the differences") {
  const std::vector<double> a{3, 1, 4, 1, 5};
  const std::vector<double> b{2, 7, 1, 8, 2};
  const std::vector<double> one(5, 1.0);
  std::vector<double> difference(5);
  for (size_t i = 0; i < 5; ++i) difference[i] = a[i] - b[i];
  const Interval paired = PairedDifference(a, one, b, one);
  const Interval direct = RatioOfSums(difference, one);
  CHECK(paired.value == doctest::Approx(direct.value).epsilon(1e-14));
  CheckInterval(paired, direct.low, direct.high, 1e-13);
}

TEST_CASE("pairing removes what both share") {
  Random random(5, RandomStream::kLaw, 0);
  std::vector<double> a(50);
  std::vector<double> b(50);
  const std::vector<double> d(50, 2.0);
  for (size_t i = 0; i < 50; ++i) {
    const double shared = 10 * random.Normal();
    a[i] = shared + 0.2 + 0.1 * random.Normal();
    b[i] = shared + 0.1 * random.Normal();
  }
  const Interval paired = PairedDifference(a, d, b, d);
  CHECK(paired.low > 0);
  CHECK(paired.high - paired.low < 0.1);
  const Interval single = RatioOfSums(a, d);
  CHECK(single.high - single.low > 1);
  const Interval self = PairedDifference(a, d, a, d);
  CHECK(self.low == 0);
  CHECK(self.high == 0);
}

TEST_CASE("ratio intervals cover as often as they say") {
  // Clusters of unequal size whose ratio is 1 in expectation.
  int covered = 0;
  for (uint64_t trial = 0; trial < 2000; ++trial) {
    Random random(11, RandomStream::kLaw, trial);
    std::vector<double> n(30);
    std::vector<double> d(30);
    for (size_t i = 0; i < 30; ++i) {
      d[i] = 1 + static_cast<double>(random.Below(4));
      n[i] = d[i] + std::sqrt(d[i]) * random.Normal();
    }
    const Interval found = RatioOfSums(n, d);
    if (found.low <= 1 && 1 <= found.high) ++covered;
  }
  // 1900 expected, standard deviation 9.7.
  CHECK(covered > 1850);
  CHECK(covered < 1945);
}

}  // namespace
