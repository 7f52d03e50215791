// Resampling whole clusters.
#pragma once

#include <cstdint>
#include <span>

#include "ssm/statistics/intervals.h"

namespace ssm {

/// Percentile bootstrap of sum(numerator) / sum(denominator) (Efron & Tibshirani 1993, "An
/// Introduction to the Bootstrap", ch. 13): every resample draws as many clusters as there are,
/// with replacement. Resample i is a pure function of (seed, i). Resamples without any denominator
/// are left out. Fewer than two clusters, or resamples that are all alike: no interval.
/// O(resamples clusters).
Interval BootstrapRatio(std::span<const double> numerator, std::span<const double> denominator,
                        uint64_t seed, double level = 0.95, int64_t resamples = 10000);

}  // namespace ssm
