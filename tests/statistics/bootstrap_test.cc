#include "ssm/statistics/bootstrap.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "ssm/base/random.h"

namespace {

using namespace ssm;  // NOLINT

TEST_CASE("bootstrap agrees with the linearised interval where both hold") {
  Random random(7, RandomStream::kLaw, 1);
  std::vector<double> n(200);
  std::vector<double> d(200);
  for (size_t i = 0; i < n.size(); ++i) {
    d[i] = 1 + random.Uniform();
    n[i] = d[i] * (0.5 + 0.3 * random.Normal());
  }
  const Interval linear = RatioOfSums(n, d);
  const Interval resampled = BootstrapRatio(n, d, 1, 0.95, 4000);
  const double width = linear.high - linear.low;
  CHECK(resampled.value == linear.value);
  CHECK(std::fabs(resampled.low - linear.low) < 0.06 * width);
  CHECK(std::fabs(resampled.high - linear.high) < 0.06 * width);
}

TEST_CASE("the same seed gives the same bits, another seed others") {
  const std::vector<double> n{1.1, 4.2, 2.3, 8.5, 5.7, 7.9, 0.4, 6.6, 3.8, 9.3};
  const std::vector<double> d{2, 5, 2, 9, 6, 9, 3, 8, 4, 12};
  const Interval a = BootstrapRatio(n, d, 9, 0.9, 501);
  const Interval b = BootstrapRatio(n, d, 9, 0.9, 501);
  const Interval c = BootstrapRatio(n, d, 10, 0.9, 501);
  CHECK(a.low == b.low);
  CHECK(a.high == b.high);
  CHECK((a.low != c.low || a.high != c.high));
}

TEST_CASE("two clusters: the resampled ratios can be listed") {
  // Resamples are {0,0}, {0,1}, {1,1} with ratios 0, 1/2, 1: a 95 % interval spans all.
  const std::vector<double> n{0, 1};
  const std::vector<double> d{1, 1};
  const Interval found = BootstrapRatio(n, d, 4);
  CHECK(found.value == 0.5);
  CHECK(found.low == 0);
  CHECK(found.high == 1);
  // Half of the resamples are the middle one: a 40 % interval holds nothing else.
  const Interval middle = BootstrapRatio(n, d, 4, 0.4);
  CHECK(middle.low == 0.5);
  CHECK(middle.high == 0.5);
}

TEST_CASE("a mean over units: the resampled means of three can be listed") {
  // 27 resamples of {0, 3, 9}: the least mean, 0, and the largest, 9, have 1/27 = 3.7 % each, more
  // than the 2.5 % of either tail, so a 95 % interval spans all. Below 0 + 3.7 % lies nothing,
  // below 1 + 11.1 % (0, 0, 3 in three orders) the mean 1: a 90 % interval (5 %) begins there.
  const std::vector<double> values{0, 3, 9};
  const Interval all = BootstrapMean(values, 2);
  CHECK(all.value == 4);
  CHECK(all.low == 0);
  CHECK(all.high == 9);
  const Interval inner = BootstrapMean(values, 2, 0.9);
  CHECK(inner.low == 1);
  CHECK(inner.high == 7);
}

TEST_CASE("nothing to resample") {
  const std::vector<double> one{1};
  const std::vector<double> zero{0};
  CHECK(std::isnan(BootstrapRatio({}, {}, 1).value));
  CHECK(std::isnan(BootstrapRatio(one, one, 1).low));
  CHECK(std::isnan(BootstrapRatio(one, zero, 1).low));
  CHECK(std::isnan(BootstrapRatio(one, zero, 1).value));
  const std::vector<double> alike(9, 2);
  CHECK(BootstrapRatio(alike, alike, 1).value == 1);
  CHECK(std::isnan(BootstrapRatio(alike, alike, 1).low));
  CHECK_THROWS(BootstrapRatio(one, {}, 1));
}

}  // namespace
