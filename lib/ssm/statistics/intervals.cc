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
  double ratio() const { return denominator != 0 ? numerator / denominator : kNaN; }
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

/// How far the clusters of a ratio lie from it.
class Spread {
 public:
  /// `entries`: the terms of the sums whose rounding a deviation may inherit.
  explicit Spread(size_t entries)
      : rounding_(static_cast<double>(entries) * std::numeric_limits<double>::epsilon()) {}
  /// `size`: the largest number that went into the deviation.
  void Add(double deviation, double size) {
    squares_ += deviation * deviation;
    noise_ += rounding_ * size * rounding_ * size;
  }
  double squares() const { return squares_; }
  /// Clusters that are alike but for rounding tell nothing of how much others would differ.
  bool unknown() const { return squares_ <= noise_; }

 private:
  double rounding_, squares_ = 0, noise_ = 0;
};

Interval StudentInterval(double value, const Spread& spread, double clusters, double level) {
  if (clusters < 2 || std::isnan(value) || spread.unknown()) return {value, kNaN, kNaN};
  const double variance = spread.squares() * clusters / (clusters - 1);
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
  Spread spread(numerator.size());
  for (size_t i = 0; i < numerator.size(); ++i) {
    const double e = (numerator[i] - totals.ratio() * denominator[i]) / totals.denominator;
    spread.Add(e, numerator[i] / totals.denominator);
  }
  return StudentInterval(totals.ratio(), spread, totals.clusters, level);
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
  Spread spread(first_numerator.size());
  double clusters = 0;
  for (size_t i = 0; i < first_numerator.size(); ++i) {
    const double a = first_numerator[i] - first.ratio() * first_denominator[i];
    const double b = second_numerator[i] - second.ratio() * second_denominator[i];
    const double e = a / first.denominator - b / second.denominator;
    spread.Add(e, std::max(std::fabs(first_numerator[i] / first.denominator),
                           std::fabs(second_numerator[i] / second.denominator)));
    if (first_denominator[i] != 0 || second_denominator[i] != 0) clusters += 1;
  }
  const double value = first.ratio() - second.ratio();
  if (value == 0 && spread.squares() == 0 && clusters >= 2) return {0, 0, 0};
  return StudentInterval(value, spread, clusters, level);
}

Interval ProportionDifference(std::span<const double> first_correct,
                              std::span<const double> first_labels,
                              std::span<const double> second_correct,
                              std::span<const double> second_labels, double level) {
  const Interval paired =
      PairedDifference(first_correct, first_labels, second_correct, second_labels, level);
  const Totals first = Sum(first_correct, first_labels);
  const Totals second = Sum(second_correct, second_labels);
  const double clusters = std::min(first.clusters, second.clusters);
  if (!std::isnan(paired.low) || std::isnan(paired.value) || clusters < 2) return paired;
  const double critical = StudentQuantile(TwoSided(level), clusters - 1);
  const Interval a = WilsonWith(first.ratio(), clusters, critical);
  const Interval b = WilsonWith(second.ratio(), clusters, critical);
  return {paired.value, paired.value - std::hypot(a.value - a.low, b.high - b.value),
          paired.value + std::hypot(a.high - a.value, b.value - b.low)};
}

}  // namespace ssm
