// Resampling whole clusters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ssm/statistics/intervals.h"

namespace ssm {

/// Draws of every bootstrap.
inline constexpr int64_t kResamples = 10000;

/// Percentile bootstrap of sum(numerator) / sum(denominator) (Efron & Tibshirani 1993, "An
/// Introduction to the Bootstrap", ch. 13): every resample draws as many clusters as there are,
/// with replacement. Resample i is a pure function of (seed, i). Resamples without any denominator
/// are left out. Fewer than two clusters, or resamples that are all alike: no interval.
/// O(resamples clusters).
Interval BootstrapRatio(std::span<const double> numerator, std::span<const double> denominator,
                        uint64_t seed, double level = 0.95, int64_t resamples = kResamples);

/// The same of a mean over units of replication (trained runs), one value each. Below ten units
/// the ends hardly reach beyond the smallest and the largest value and cover less than `level`:
/// every value belongs beside such an interval.
Interval BootstrapMean(std::span<const double> values, uint64_t seed, double level = 0.95,
                       int64_t resamples = kResamples);

/// The two-sided percentile interval of resampled numbers, which it sorts: the ranks that leave
/// (1 - level) / 2 outside, counted from either end (Efron & Tibshirani, 13.3). Numbers that are
/// all alike, or none: no interval.
Interval PercentileInterval(double value, std::vector<double>& resampled, double level);

}  // namespace ssm
