#include "ssm/statistics/intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/statistics/distributions.h"

namespace ssm {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double TwoSided(double level) { return 0.5 + 0.5 * level; }

void CheckLevel(double level) { SSM_CHECK(level > 0 && level < 1, "level must be inside (0, 1)"); }

/// Wilson's interval with any critical value in place of the normal quantile.
Interval WilsonWith(double p, double n, double critical) {
  const double z2 = critical * critical / n;
  const double centre = (p + z2 / 2) / (1 + z2);
  const double half = critical * std::sqrt((p * (1 - p) + z2 / 4) / n) / (1 + z2);
  // The ends that are exactly 0 or 1 in algebra must not miss by a rounding error.
  return {p, p == 0 ? 0 : std::max(0.0, centre - half), p == 1 ? 1 : std::min(1.0, centre + half)};
}

struct Totals {
  double numerator = 0, denominator = 0;
  double clusters = 0;  // with a denominator
  double ratio() const { return numerator / denominator; }
};

Totals Sum(std::span<const double> numerator, std::span<const double> denominator) {
  SSM_CHECK(numerator.size() == denominator.size(), "one denominator for each numerator");
  Totals totals;
  for (size_t i = 0; i < numerator.size(); ++i) {
    totals.numerator += numerator[i];
    totals.denominator += denominator[i];
    if (denominator[i] != 0) totals.clusters += 1;
  }
  return totals;
}

Interval StudentInterval(double value, double squares, double clusters, double level) {
  if (clusters < 2 || std::isnan(value)) return {value, kNaN, kNaN};
  const double variance = squares * clusters / (clusters - 1);
  const double half = StudentQuantile(TwoSided(level), clusters - 1) * std::sqrt(variance);
  return {value, value - half, value + half};
}

}  // namespace

Interval Wilson(double successes, double trials, double level) {
  CheckLevel(level);
  if (!(trials > 0)) return {kNaN, 0, 1};
  return WilsonWith(successes / trials, trials, NormalQuantile(TwoSided(level)));
}

Interval ClopperPearson(int64_t successes, int64_t trials, double level) {
  CheckLevel(level);
  SSM_CHECK(successes >= 0 && successes <= trials, "successes must lie in [0, trials]");
  if (trials == 0) return {kNaN, 0, 1};
  const double x = static_cast<double>(successes);
  const double n = static_cast<double>(trials);
  const double tail = 1 - TwoSided(level);
  // The upper end by reflection, so that a small complement keeps its digits.
  const double low = successes == 0 ? 0 : BetaQuantile(tail, x, n - x + 1);
  const double high = successes == trials ? 1 : 1 - BetaQuantile(tail, n - x, x + 1);
  return {x / n, low, high};
}

Interval RatioOfSums(std::span<const double> numerator, std::span<const double> denominator,
                     double level) {
  CheckLevel(level);
  const Totals totals = Sum(numerator, denominator);
  double squares = 0;
  for (size_t i = 0; i < numerator.size(); ++i) {
    const double e = (numerator[i] - totals.ratio() * denominator[i]) / totals.denominator;
    squares += e * e;
  }
  return StudentInterval(totals.ratio(), squares, totals.clusters, level);
}

Interval ClusteredProportion(std::span<const double> correct, std::span<const double> labels,
                             double level) {
  CheckLevel(level);
  const Totals totals = Sum(correct, labels);
  const double n = totals.denominator;
  const double p = totals.ratio();
  if (!(n > 0)) return {kNaN, 0, 1};
  if (std::isnan(p)) return {kNaN, kNaN, kNaN};
  const bool single = std::all_of(labels.begin(), labels.end(),
                                  [](double count) { return count == 0 || count == 1; });
  if (single) return Wilson(totals.numerator, n, level);
  if (totals.clusters < 2) return {p, 0, 1};
  const double critical = StudentQuantile(TwoSided(level), totals.clusters - 1);
  if (p <= 0 || p >= 1) return WilsonWith(p, totals.clusters, critical);
  double squares = 0;
  for (size_t i = 0; i < correct.size(); ++i) {
    const double e = correct[i] - p * labels[i];
    squares += e * e;
  }
  const double effect = squares * totals.clusters / (totals.clusters - 1) / (n * p * (1 - p));
  // Labels that repel each other inside a cluster may not make the sample look larger than it is.
  return WilsonWith(p, n / std::max(effect, 1.0), critical);
}

Interval PairedDifference(std::span<const double> first_numerator,
                          std::span<const double> first_denominator,
                          std::span<const double> second_numerator,
                          std::span<const double> second_denominator, double level) {
  CheckLevel(level);
  const Totals first = Sum(first_numerator, first_denominator);
  const Totals second = Sum(second_numerator, second_denominator);
  SSM_CHECK(first_numerator.size() == second_numerator.size(), "pairs need the same clusters");
  double squares = 0;
  double clusters = 0;
  for (size_t i = 0; i < first_numerator.size(); ++i) {
    const double a = first_numerator[i] - first.ratio() * first_denominator[i];
    const double b = second_numerator[i] - second.ratio() * second_denominator[i];
    const double e = a / first.denominator - b / second.denominator;
    squares += e * e;
    if (first_denominator[i] != 0 || second_denominator[i] != 0) clusters += 1;
  }
  return StudentInterval(first.ratio() - second.ratio(), squares, clusters, level);
}

}  // namespace ssm
