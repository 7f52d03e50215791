#include "ssm/statistics/hierarchical_bootstrap.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "ssm/base/errors.h"
#include "ssm/base/random.h"

namespace ssm {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double Total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

void Draw(Random& random, size_t clusters, std::vector<size_t>& picks) {
  picks.resize(clusters);
  for (size_t& pick : picks) {
    pick = static_cast<size_t>(random.Below(static_cast<int64_t>(clusters)));
  }
}

/// The difference of both ratios over the clusters that `picks` names.
double DifferenceOver(const UnitPair& pair, const std::vector<size_t>& picks) {
  double first_top = 0;
  double first_bottom = 0;
  double second_top = 0;
  double second_bottom = 0;
  for (const size_t i : picks) {
    first_top += pair.first->numerator[i];
    first_bottom += pair.first->denominator[i];
    second_top += pair.second->numerator[i];
    second_bottom += pair.second->denominator[i];
  }
  return first_top / first_bottom - second_top / second_bottom;
}

void CheckPairs(std::span<const UnitPair> pairs, ClusterDraw draw) {
  for (const UnitPair& pair : pairs) {
    const size_t clusters = pair.first->size();
    SSM_CHECK(pair.first->denominator.size() == clusters && pair.second->size() == clusters &&
                  pair.second->denominator.size() == clusters,
              "the clusters of a pair match one to one");
    SSM_CHECK(clusters > 0, "a unit has at least one cluster");
    SSM_CHECK(draw == ClusterDraw::kNested || clusters == pairs[0].first->size(),
              "crossed clusters are the same in every unit");
  }
}

}  // namespace

double ClusterSums::Ratio() const {
  const double bottom = Total(denominator);
  return bottom != 0 ? Total(numerator) / bottom : kNaN;
}

Interval HierarchicalDifference(std::span<const UnitPair> pairs, ClusterDraw draw, uint64_t seed,
                                double level, int64_t resamples) {
  SSM_CHECK(level > 0 && level < 1 && resamples >= 1, "level in (0, 1), at least one resample");
  CheckPairs(pairs, draw);
  const size_t n = pairs.size();
  if (n == 0) return {kNaN, kNaN, kNaN};
  double value = 0;
  for (const UnitPair& pair : pairs) value += pair.first->Ratio() - pair.second->Ratio();
  value /= static_cast<double>(n);
  if (n < 2 || !std::isfinite(value)) return {value, kNaN, kNaN};

  std::vector<double> means;
  means.reserve(static_cast<size_t>(resamples));
  std::vector<size_t> picks;
  for (int64_t r = 0; r < resamples; ++r) {
    Random random(seed, RandomStream::kBootstrap, static_cast<uint64_t>(r));
    if (draw == ClusterDraw::kCrossed) Draw(random, pairs[0].first->size(), picks);
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
      const UnitPair& pair = pairs[static_cast<size_t>(random.Below(static_cast<int64_t>(n)))];
      if (draw == ClusterDraw::kNested) Draw(random, pair.first->size(), picks);
      sum += DifferenceOver(pair, picks);
    }
    const double mean = sum / static_cast<double>(n);
    if (std::isfinite(mean)) means.push_back(mean);
  }
  const Interval interval = PercentileInterval(value, means, level);
  const bool all_zero = !means.empty() && means.front() == 0 && means.back() == 0;
  return value == 0 && all_zero ? Interval{0, 0, 0} : interval;
}

}  // namespace ssm
