// Confidence intervals of proportions and ratios. Sequences are the clusters: steps inside one
// depend on each other.
#pragma once

#include <cstdint>
#include <span>

namespace ssm {

/// A number and its two-sided interval. Where that cannot be known, from fewer than two clusters or
/// from clusters that are all alike, low and high are NaN; where there is no denominator, all
/// three.
struct Interval {
  double value = 0, low = 0, high = 0;
};

/// Score interval of a proportion (Wilson 1927, J. Am. Stat. Assoc. 22:209). 0 <= successes <=
/// trials; both may be fractional (effective counts). trials = 0: value NaN, [0, 1].
Interval Wilson(double successes, double trials, double level = 0.95);

/// Exact interval of a proportion (Clopper & Pearson 1934, Biometrika 26:404).
Interval ClopperPearson(int64_t successes, int64_t trials, double level = 0.95);

/// sum(numerator) / sum(denominator) with one entry per cluster: linearised variance (Cochran 1977,
/// "Sampling Techniques", 3rd ed., eq. 6.13), Student's t with n - 1 degrees of freedom, n the
/// clusters that have a denominator. n < 2, or clusters whose ratios are equal but for rounding: no
/// interval. O(clusters).
Interval RatioOfSums(std::span<const double> numerator, std::span<const double> denominator,
                     double level = 0.95);

/// A proportion whose labels come in clusters: `correct` (0 <= correct <= labels) and `labels` per
/// cluster. Wilson with the sample divided by the design effect and t in place of the normal
/// quantile (Korn & Graubard 1998, Survey Methodology 24:193; Franco et al. 2019, J. Surv. Stat.
/// Methodol. 7:334). One label in every cluster is the plain Wilson interval. Where all labels are
/// right or all wrong nothing is known of the design effect: clusters then count as single labels.
Interval ClusteredProportion(std::span<const double> correct, std::span<const double> labels,
                             double level = 0.95);

/// First ratio minus second, both over the same clusters: the linearised differences of each
/// cluster carry the pairing. Student's t with n - 1 degrees of freedom. n < 2, or differences that
/// are equal but for rounding: no interval; [0, 0] where all are exactly 0.
Interval PairedDifference(std::span<const double> first_numerator,
                          std::span<const double> first_denominator,
                          std::span<const double> second_numerator,
                          std::span<const double> second_denominator, double level = 0.95);

/// PairedDifference of proportions, which also has an interval where clusters are all alike (all
/// right against all wrong): clusters then count as single labels, and the two intervals, Wilson's
/// with t in place of the normal quantile, are joined as if independent (Newcombe 1998, Statistics
/// in Medicine 17:873, method 10).
Interval ProportionDifference(std::span<const double> first_correct,
                              std::span<const double> first_labels,
                              std::span<const double> second_correct,
                              std::span<const double> second_labels, double level = 0.95);

}  // namespace ssm
